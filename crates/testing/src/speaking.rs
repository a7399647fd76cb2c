//! Whether an operator that has the rights of a user may speak for others.
//!
//! Its requests are sent in the name of that user by a client that may do everything, and no request can be in the name of two: one that
//! is already in the name of somebody else is sent as it is, once it is known that the user may do that.

use http::{Request, Response};
use kube::client::Body;
use kubewright_apiserver::middleware::Target;
use serde_json::{Value, json};

/// Whom a request is made for, and what it is about.
pub(crate) struct Spoken {
    whom: String,
    target: Target,
}

impl Spoken {
    /// Of a request that is already in the name of somebody.
    pub(crate) fn of(request: &Request<Body>) -> Option<Self> {
        let whom = request.headers().get("impersonate-user")?.to_str().ok()?.to_owned();
        Some(Self { whom, target: Target::of(request.method(), request.uri()) })
    }
}

/// The answer of a server that does not let the user send this request, in the words of Kubernetes 1.36.
pub(crate) async fn refusal(client: &kube::Client, user: &str, spoken: &Spoken) -> Result<Option<Response<Body>>, kube::Error> {
    let Spoken { whom, target } = spoken;
    let attributes = match whom.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':')) {
        Some((namespace, name)) => json!({ "resource": "serviceaccounts", "namespace": namespace, "name": name }),
        None => json!({ "resource": "users", "name": whom }),
    };
    if may(client, user, attributes).await? {
        return Ok(None);
    }
    let message = match target.resource() {
        Some(target) => {
            let scope = match target.namespace.as_str() {
                "" => "at the cluster scope".to_owned(),
                namespace => format!("in the namespace {namespace:?}"),
            };
            let dotted = if target.group.is_empty() { String::new() } else { format!(".{}", target.group) };
            let name = if target.name.is_empty() { String::new() } else { format!(" {:?}", target.name) };
            format!(
                "{0}{dotted}{name} is forbidden: User {user:?} cannot impersonate-on:user-info:{1} resource {0:?} in API group {2:?} {scope}",
                target.resource, target.verb, target.group
            )
        }
        None => format!("forbidden: User {user:?} cannot impersonate-on:user-info: {target}"),
    };
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": "Forbidden", "code": 403,
    });
    let response = Response::builder().status(403).header("content-type", "application/json");
    response.body(Body::from(status.to_string().into_bytes())).map(Some).map_err(kube::Error::HttpError)
}

async fn may(client: &kube::Client, user: &str, mut attributes: Value) -> Result<bool, kube::Error> {
    attributes["verb"] = "impersonate".into();
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": { "user": user, "groups": ["system:authenticated"], "resourceAttributes": attributes },
    });
    let request = Request::post("/apis/authorization.k8s.io/v1/subjectaccessreviews").header("content-type", "application/json");
    let request = request.body(review.to_string().into_bytes()).map_err(kube::Error::HttpError)?;
    let answer: Value = client.request(request).await?;
    Ok(answer["status"]["allowed"] == true)
}
