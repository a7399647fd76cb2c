//! Authorization of impersonation by an operator that runs with the rights of a user.
//!
//! The operator's requests are sent by a client with all rights that impersonates that user, and a request can impersonate only one user. A request
//! that already impersonates another user is therefore sent unchanged, after a check that the operator's user may impersonate that one.

use http::{Request, Response};
use kube::client::Body;
use kubewright_middleware::RequestTarget;
use serde_json::{Value, json};

/// The impersonated user of a request, and the target of the request.
pub(crate) struct Spoken {
    whom: String,
    target: RequestTarget,
}

impl Spoken {
    /// Returns the impersonation in a request, if the request impersonates a user.
    pub(crate) fn of(request: &Request<Body>) -> Option<Self> {
        let whom = request.headers().get("impersonate-user")?.to_str().ok()?.to_owned();
        Some(Self { whom, target: RequestTarget::of(request.method(), request.uri()) })
    }
}

/// Returns the refusal that Kubernetes 1.36 sends if the user may not impersonate for this request; `None` if it may.
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
