//! The service that finds the user of each request (PIPE-2).

use std::sync::Arc;
use std::task::{Context, Poll};

use http::Request;
use kubewright_middleware::{Identity, Status};

use super::authenticate::by_token;
use super::impersonate::impersonated;
use crate::api::ObjectApi;

/// The refusal of a request in front of the journal, kept in the extensions of the request. The pipeline sends it without handling the request, so that
/// it is recorded and has the headers of every answer.
#[derive(Clone, Debug)]
pub(super) struct EarlyRefusal(pub(super) Status);

/// A service that puts the user of each request into its extensions, in front of the journal, which records the user. An [`Identity`] that is there
/// already is kept, as that of a caller in this process. Other requests are made by the user of their bearer token, or by the anonymous user. The user
/// that a request impersonates replaces the user who makes it.
#[derive(Clone, Debug)]
pub struct UserService<S> {
    inner: S,
    api: Arc<ObjectApi>,
    /// The user who makes all requests, if it is known.
    user: Option<Identity>,
}

impl<S> UserService<S> {
    pub(crate) fn new(inner: S, api: Arc<ObjectApi>) -> Self {
        Self { inner, api, user: None }
    }

    /// Sets the user who makes all requests, whatever token they carry; `None` if each request tells its user.
    pub(crate) fn acting_as(self, user: Option<Identity>) -> Self {
        Self { user, ..self }
    }
}

impl<S, B> tower::Service<Request<B>> for UserService<S>
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
        if let Some(user) = &self.user {
            request.extensions_mut().insert(user.clone());
        }
        if let Err(status) = identify(&self.api, &mut request) {
            request.extensions_mut().insert(EarlyRefusal(status));
        }
        self.inner.call(request)
    }
}

/// Puts the user of a request into its extensions. A request that fails to authenticate has no user; one that must not impersonate keeps its own.
fn identify<B>(api: &ObjectApi, request: &mut Request<B>) -> Result<(), Status> {
    if request.extensions().get::<Identity>().is_none() {
        let user = by_token(api, request.headers())?;
        request.extensions_mut().insert(user);
    }
    if let Some(user) = request.extensions().get::<Identity>()
        && let Some(other) = impersonated(api, user, request)?
    {
        request.extensions_mut().insert(other);
    }
    Ok(())
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
        user_of_connection(server, None, request).await
    }

    async fn user_of_connection(
        server: &ApiServer,
        certified: Option<Identity>,
        request: Request<Full<Bytes>>,
    ) -> Result<Identity, u16> {
        let next = |request: Request<Full<Bytes>>| -> Ready<Result<_, Infallible>> {
            let user = request.extensions().get::<Identity>().cloned();
            let refusal = request.extensions().get::<EarlyRefusal>().map(|refusal| refusal.0.code);
            ready(Ok(user.ok_or_else(|| refusal.unwrap())))
        };
        let service = UserService::new(tower::service_fn(next), server.state().api.clone());
        service.acting_as(certified).oneshot(request).await.unwrap()
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
            let certified = credentials.by_certificate(b"certificate");
            let identity = user_of_connection(&server, certified, authorized(token)).await.unwrap();
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
