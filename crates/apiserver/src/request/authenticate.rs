//! Authentication of requests: by the connection or the caller, by token, or as anonymous (AUTH-1 to AUTH-4).

use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::AUTHORIZATION;
use http::{HeaderMap, Request};
use kubewright_middleware::{Identity, Status};

use crate::access::service_account::ISSUER;
use crate::api::ObjectApi;

/// The refusal of a request in front of the journal, kept in the extensions of the request. The pipeline sends it without handling the request, so that
/// it is recorded and has the headers of every answer.
#[derive(Clone, Debug)]
pub(super) struct EarlyRefusal(pub(super) Status);

/// A service that puts the user of a request into its extensions. An [`Identity`] that is there already is kept: it is the user of the connection's
/// client certificate, or the user as whom a caller in this process acts. Other requests are made by the user of their bearer token, or by the anonymous
/// user.
#[derive(Clone, Debug)]
pub struct Authenticating<S> {
    inner: S,
    api: Arc<ObjectApi>,
}

impl<S> Authenticating<S> {
    pub(crate) fn new(inner: S, api: Arc<ObjectApi>) -> Self {
        Self { inner, api }
    }
}

impl<S, B> tower::Service<Request<B>> for Authenticating<S>
where
    S: tower::Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> S::Future {
        if request.extensions().get::<Identity>().is_none() {
            match by_token(&self.api, request.headers()) {
                Ok(user) => {
                    request.extensions_mut().insert(user);
                }
                Err(status) => {
                    request.extensions_mut().insert(EarlyRefusal(status));
                }
            }
        }
        self.inner.call(request)
    }
}

/// Returns the user of the bearer token in the headers, or the anonymous user if there is no token.
fn by_token(api: &ObjectApi, headers: &HeaderMap) -> Result<Identity, Status> {
    let Some(authorization) = headers.get(AUTHORIZATION) else { return Ok(Identity::anonymous()) };
    let token = authorization
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // Credentials of other schemes are not for this server; the request then counts as anonymous.
    let Some((_, token)) = token else { return Ok(Identity::anonymous()) };
    let known = api.identify(token.trim(), &[ISSUER.to_owned()]);
    known.map(|(identity, _)| identity).map_err(|_| Status::new(401, "Unauthorized", "Unauthorized"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{Ready, ready};

    use bytes::Bytes;
    use http::Response;
    use http_body_util::{BodyExt as _, Full};
    use serde_json::Value;
    use tower::ServiceExt as _;

    use super::*;
    use crate::ApiServer;

    fn server() -> ApiServer {
        let server = ApiServer::builder().seed(7).build().unwrap();
        server.add_token("t1", Identity::user("alice"));
        server
    }

    fn request(headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
        let request = Request::get("/api/v1/namespaces/default/pods");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(Full::default()).unwrap()
    }

    fn authorized(value: &str) -> Request<Full<Bytes>> {
        request(&[("authorization", value)])
    }

    /// Returns the user that the next service sees, or the code of the refusal.
    async fn user_of(server: &ApiServer, request: Request<Full<Bytes>>) -> Result<Identity, u16> {
        let next = |request: Request<Full<Bytes>>| -> Ready<Result<_, Infallible>> {
            let user = request.extensions().get::<Identity>().cloned();
            let refusal = request.extensions().get::<EarlyRefusal>().map(|refusal| refusal.0.code);
            ready(Ok(user.ok_or_else(|| refusal.unwrap())))
        };
        Authenticating::new(tower::service_fn(next), server.state().api.clone()).oneshot(request).await.unwrap()
    }

    // AUTH-1, AUTH-2, AUTH-4
    #[tokio::test]
    async fn tokens_name_users_and_wrong_ones_are_refused() {
        let server = server();
        assert_eq!(user_of(&server, authorized("Bearer t1")).await.unwrap().name(), "alice");
        assert_eq!(user_of(&server, authorized("Bearer t2")).await, Err(401));
        assert_eq!(user_of(&server, authorized("Basic t1")).await, Ok(Identity::anonymous()));
        assert_eq!(user_of(&server, request(&[])).await, Ok(Identity::anonymous()));
    }

    // AUTH-3
    #[cfg(feature = "listen")]
    #[tokio::test]
    async fn a_certificate_comes_before_a_token() {
        let server = server();
        let credentials = &server.state().api.access.credentials;
        credentials.add_certificate(b"certificate", &Identity::user("bob").with_group("dev"));
        assert_eq!(credentials.by_certificate(b"another"), None);
        for token in ["Bearer t1", "Bearer t2"] {
            let mut request = authorized(token);
            request.extensions_mut().insert(credentials.by_certificate(b"certificate").unwrap());
            let identity = user_of(&server, request).await.unwrap();
            assert_eq!(
                (identity.name(), identity.groups()),
                ("bob", ["dev".to_owned(), "system:authenticated".to_owned()].as_slice())
            );
            assert!(identity.extra().contains_key("authentication.kubernetes.io/credential-id"));
        }
    }

    // SRV-4
    #[tokio::test]
    async fn the_identity_of_a_caller_in_process_is_kept() {
        let server = server();
        for identity in [Identity::user("carol"), Identity::anonymous()] {
            let mut request = authorized("Bearer t1");
            request.extensions_mut().insert(identity.clone());
            assert_eq!(user_of(&server, request).await, Ok(identity));
        }
    }

    // AUTH-2, PIPE-2, PIPE-3
    #[tokio::test]
    async fn a_wrong_token_is_refused_through_the_stack_and_recorded_without_a_user() {
        let server = server();
        let refused = |response: Response<Value>| {
            assert_eq!(response.status(), 401);
            assert_eq!(response.body()["message"], "Unauthorized");
            let headers = response.headers();
            assert!(headers.contains_key("audit-id") && !headers.contains_key("www-authenticate"), "{headers:?}");
        };
        let wrong = ("authorization", "Bearer t2");
        refused(sent(&server, request(&[wrong])).await);
        // Impersonation is not looked at, since there is no user who could be allowed to do so.
        refused(sent(&server, request(&[wrong, ("impersonate-user", "bob")])).await);
        let records = server.journal().all();
        assert_eq!(records.iter().map(|record| record.status()).collect::<Vec<_>>(), [Some(401), Some(401)]);
        assert!(records.iter().all(|record| record.user.is_none()));
        sent(&server, authorized("Bearer t1")).await;
        sent(&server, request(&[])).await;
        let users: Vec<_> = server.journal().all().iter().skip(2).map(|record| record.user.clone().unwrap()).collect();
        assert_eq!(users, ["alice", "system:anonymous"]);
    }

    /// Sends a request through the whole pipeline.
    async fn sent(server: &ApiServer, request: Request<Full<Bytes>>) -> Response<Value> {
        let (head, body) = server.pipeline().oneshot(request).await.unwrap().into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Response::from_parts(head, serde_json::from_slice(&bytes).unwrap())
    }
}
