//! The front of the pipeline: a tower service over HTTP requests.

use std::{
    any::Any,
    convert::Infallible,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use http::{HeaderValue, Request, Response, StatusCode, header, request::Parts};
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
    access::{Action, Identity, Refused},
    kinds::Verb,
    middleware::{BoxError, Effect, Target, journal::RecordNote},
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
        let note = request.extensions().get::<RecordNote>().cloned();
        async move {
            // SRV-7: a panic is the server's fault, not the connection's.
            let answer = AssertUnwindSafe(handle(&state, request)).catch_unwind().await;
            Ok(answer.unwrap_or_else(|panic| {
                if let Some(note) = note {
                    note.say(format!("panicked: {}", message(&*panic)));
                }
                respond::failure(&Status::internal("the request handler panicked"), Format::Json)
            }))
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
    let note = parts.extensions.get::<RecordNote>().filter(|note| note.wants_changes()).cloned();
    let Some(_turn) = Turn::take(state, &parts) else { return too_many_requests() };
    let is_head = parts.method == http::Method::HEAD;
    let outgoing = outcome(state, parts, body).await;
    let Outgoing { mut response, warnings, stored } = outgoing;
    if is_head {
        *response.body_mut() = ResponseBody::full(Bytes::new());
    }
    respond::finish(state, &mut response, &warnings);
    let revision_after = state.store.revision();
    if let Some(note) = note {
        note.changed(&state.store.history_between(revision_before, revision_after));
    }
    response.extensions_mut().insert(Effect { revision_before, revision_after, stored });
    response
}

/// A request that is being handled, as one of those that may be at the same time (DIF-10). Watches do not count.
struct Turn<'a>(Option<&'a AtomicUsize>);

impl<'a> Turn<'a> {
    fn take(state: &'a State, parts: &Parts) -> Option<Self> {
        let limit = state.options.max_in_flight;
        if limit == usize::MAX || Target::of(&parts.method, &parts.uri).verb() == Some(Verb::Watch) {
            return Some(Self(None));
        }
        let turn = Self(Some(&state.in_flight));
        (state.in_flight.fetch_add(1, Ordering::AcqRel) < limit).then_some(turn)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(in_flight) = self.0 {
            in_flight.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn too_many_requests() -> Response<ResponseBody> {
    let mut response = respond::text(StatusCode::TOO_MANY_REQUESTS, "Too many requests, please try again later.\n");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

async fn outcome<B>(state: &Arc<State>, parts: Parts, body: B) -> Outgoing
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    if let Some(Refused(status)) = parts.extensions.get() {
        return status.clone().into();
    }
    let query = Query::parse(parts.uri.query());
    let read = body::read(body).await.and_then(|body| check_timeout(&query).map(|()| body));
    match read {
        Ok(body) => {
            let user = parts.extensions.get::<Identity>().cloned().unwrap_or_else(Identity::anonymous);
            answer(state, Incoming { parts, query, user, body }).await
        }
        Err(status) => status.into(),
    }
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
    if let Err(status) = state.authorize(&incoming.user, || Action::of(&incoming.parts.method, &incoming.parts.uri)) {
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
