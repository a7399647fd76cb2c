//! The front of the pipeline: a tower service over HTTP requests.

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use http::{Request, Response, request::Parts};
use http_body::Body;
use kubewright_machinery::quantity::GoDuration;

use super::{
    body::{self, ResponseBody},
    negotiate::Format,
    nonresource,
    query::Query,
    resource, respond,
};
use crate::{
    access::{Identity, authorize},
    middleware::{BoxError, Effect, Target},
    server::State,
    status::Status,
};

/// Answers requests. The user is the [`Identity`] in the extensions of the request; without one it is the anonymous user.
#[derive(Clone, Debug)]
pub struct Service {
    state: Arc<State>,
}

/// A request whose body has been read.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) parts: Parts,
    pub(super) query: Query,
    pub(super) user: Identity,
    pub(super) body: Bytes,
}

/// An answer on its way out, and what it tells beside its body.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) response: Response<ResponseBody>,
    pub(super) warnings: Vec<String>,
    pub(super) stored: bool,
}

impl Service {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state }
    }
}

impl<B> tower::Service<Request<B>> for Service
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let state = self.state.clone();
        async move {
            // SRV-7: a panic is the server's fault, not the connection's.
            let answer = AssertUnwindSafe(handle(&state, request)).catch_unwind().await;
            Ok(answer.unwrap_or_else(|_| respond::failure(&Status::internal("the request handler panicked"), Format::Json)))
        }
        .boxed()
    }
}

async fn handle<B>(state: &Arc<State>, request: Request<B>) -> Response<ResponseBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let (parts, body) = request.into_parts();
    let revision_before = state.store.revision();
    let is_head = parts.method == http::Method::HEAD;
    let outgoing = match body::read(body).await {
        Ok(body) => {
            let user = parts.extensions.get::<Identity>().cloned().unwrap_or_else(Identity::anonymous);
            let query = Query::parse(parts.uri.query());
            match check_timeout(&query) {
                Ok(()) => answer(state, Incoming { parts, query, user, body }).await,
                Err(status) => Outgoing::from(status),
            }
        }
        Err(status) => Outgoing::from(status),
    };
    let Outgoing { mut response, warnings, stored } = outgoing;
    if is_head {
        *response.body_mut() = ResponseBody::full(Bytes::new());
    }
    respond::finish(state, &mut response, &warnings);
    response.extensions_mut().insert(Effect { revision_before, revision_after: state.store.revision(), stored });
    response
}

/// A time-out must be a duration, although nothing here takes long enough to need one (DISC-18).
fn check_timeout(query: &Query) -> Result<(), Status> {
    match query.get("timeout") {
        Some(timeout) if GoDuration::parse(timeout).is_err() => {
            Err(Status::bad_request(format!("invalid timeout specified in the request URL - time: invalid duration {timeout:?}")))
        }
        _ => Ok(()),
    }
}

async fn answer(state: &Arc<State>, incoming: Incoming) -> Outgoing {
    let target = Target::of(&incoming.parts.method, &incoming.parts.uri);
    // Before routing: who may not ask does not learn what exists (PIPE-4).
    if let Err(status) = authorize(&incoming.user, &incoming.parts.method, &target) {
        return Outgoing::from(status);
    }
    match &target {
        Target::Other { .. } => nonresource::answer(state, &incoming),
        Target::Resource(target) => {
            let mut warnings = Vec::new();
            match resource::answer(state, target, &incoming, &mut warnings).await {
                Ok(mut outgoing) => {
                    outgoing.warnings = warnings;
                    outgoing
                }
                Err(status) => Outgoing { warnings, ..Outgoing::from(status) },
            }
        }
    }
}

impl From<Status> for Outgoing {
    fn from(status: Status) -> Self {
        respond::failure(&status, Format::Json).into()
    }
}

impl From<Response<ResponseBody>> for Outgoing {
    fn from(response: Response<ResponseBody>) -> Self {
        Self { response, warnings: Vec::new(), stored: false }
    }
}
