//! The front of the pipeline: a tower service over HTTP requests.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use kubewright_machinery::quantity::GoDuration;
use kubewright_middleware::journal::{AUDIT_ID, CommittedChange, Effect, RecordNote};
use kubewright_middleware::target::{Query, path};
use kubewright_middleware::{BoxError, Identity, RequestTarget, Status, Verb};
use serde_json::json;

use super::user_service::EarlyRefusal;
use super::verbs::resource;
use super::wire::body::{self, ResponseBody};
use super::wire::negotiate::{self, BodyFormat};
use super::wire::{pretty, respond};
use super::{RequestState, nonresource};
use crate::access::UserAction;
use crate::api::warnings::Warnings;
use crate::status::StatusExt as _;
use crate::store::{ObjectRef, StoreEvent};

/// The maximum duration of a handler.
const HANDLER_LIMIT: Duration = Duration::from_secs(34);

/// The service that answers requests. The user is the [`Identity`] in the extensions of the request; without one it is the anonymous user.
#[derive(Clone, Debug)]
pub struct Service {
    state: Arc<RequestState>,
}

/// A request whose body has been read.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) parts: Parts,
    pub(super) query: Query,
    pub(super) user: Identity,
    pub(super) body: Bytes,
}

/// An answer before it is sent, with its warnings and effects.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) response: Response<ResponseBody>,
    pub(super) warnings: Warnings,
    pub(super) stored: bool,
}

impl Service {
    pub(crate) fn new(state: Arc<RequestState>) -> Self {
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
            // A panic is the server's fault, not the connection's, so it is answered with an error (SRV-7).
            let answer = AssertUnwindSafe(handle(&state, request)).catch_unwind().await;
            Ok(answer.unwrap_or_else(|panic| {
                if let Some(note) = note {
                    note.say(format!("panicked: {}", message(&*panic)));
                }
                respond::failure(&Status::internal("the request handler panicked"), BodyFormat::Json)
            }))
        }
        .boxed()
    }
}

async fn handle<B>(state: &Arc<RequestState>, request: Request<B>) -> Response<ResponseBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut request = request;
    let target = RequestTarget::in_request(&mut request);
    let (parts, body) = request.into_parts();
    // A request that comes through another server already has an id.
    let audit_id = parts.headers.get(AUDIT_ID).filter(|id| !id.is_empty()).cloned();
    let revision_before = state.api.store.revision();
    let note = parts.extensions.get::<RecordNote>().filter(|note| note.wants_changes()).cloned();
    let Some(_turn) = InFlightSlot::take(state, &target) else { return too_many_requests() };
    let is_head = parts.method == http::Method::HEAD;
    let outgoing = outcome(state, &target, parts, body).await;
    let Outgoing { mut response, warnings, stored } = outgoing;
    if is_head {
        *response.body_mut() = ResponseBody::full(Bytes::new());
    }
    if let Some(id) = audit_id {
        response.headers_mut().insert(AUDIT_ID, id);
    }
    respond::finish(&state.api, &mut response, &warnings);
    let revision_after = state.api.store.revision();
    if let Some(note) = note {
        let events = state.api.store.history_between(revision_before, revision_after);
        note.changed(events.iter().map(|event| committed(event)));
    }
    response.extensions_mut().insert(Effect { revision_before, revision_after, stored });
    response
}

/// Returns a change as the journal records it.
fn committed(event: &StoreEvent) -> CommittedChange<'_> {
    let ObjectRef { resource, name } = &event.object;
    CommittedChange {
        group: &resource.group,
        resource: &resource.plural,
        namespace: &name.namespace,
        name: &name.name,
        before: event.previous.as_ref().map(|stored| stored.value()),
        after: event.current.as_ref().map(|stored| stored.value()),
    }
}

/// A slot among the requests that may be handled at the same time (DIF-10). Watches do not count.
struct InFlightSlot<'a>(Option<&'a AtomicUsize>);

impl<'a> InFlightSlot<'a> {
    fn take(state: &'a RequestState, target: &RequestTarget) -> Option<Self> {
        let limit = state.max_in_flight;
        if limit == usize::MAX || target.verb() == Some(Verb::Watch) {
            return Some(Self(None));
        }
        let turn = Self(Some(&state.in_flight));
        (state.in_flight.fetch_add(1, Ordering::AcqRel) < limit).then_some(turn)
    }
}

impl Drop for InFlightSlot<'_> {
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

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

async fn outcome<B>(state: &Arc<RequestState>, target: &RequestTarget, parts: Parts, body: B) -> Outgoing
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    // An invalid URL is refused before it is routed.
    if path::decoded(parts.uri.path()).is_none() {
        return respond::text(StatusCode::BAD_REQUEST, "400 Bad Request").into();
    }
    if let Some(EarlyRefusal(status)) = parts.extensions.get() {
        return status.clone().into();
    }
    let query = Query::parse(parts.uri.query());
    // OpenAPI documents are never pretty-printed, since programs read them.
    let is_pretty = pretty::is_wanted(&query, &parts.headers) && !parts.uri.path().starts_with("/openapi/");
    let read = body::read(body).await.and_then(|body| time_limit(&query).map(|limit| (body, limit)));
    let mut outgoing = match read {
        Ok((body, limit)) => {
            let user = parts.extensions.get::<Identity>().cloned().unwrap_or_else(Identity::anonymous);
            within(state, limit, answer(state, target, Incoming { parts, query, user, body })).await
        }
        Err(status) => status.into(),
    };
    if is_pretty {
        pretty::lay_out(&mut outgoing.response);
    }
    outgoing
}

/// Returns the time limit of a request (DISC-18). Watches have their own timeout.
fn time_limit(query: &Query) -> Result<Option<Duration>, Status> {
    if query.is_set("watch") {
        return Ok(None);
    }
    let Some(timeout) = query.get("timeout") else { return Ok(Some(HANDLER_LIMIT)) };
    let duration = GoDuration::parse(timeout)
        .map_err(|problem| Status::bad_request(format!("invalid timeout specified in the request URL - {problem}")))?;
    // Zero and negative values mean the default.
    let asked = duration.to_std().filter(|asked| !asked.is_zero());
    Ok(Some(asked.map_or(HANDLER_LIMIT, |asked| asked.min(HANDLER_LIMIT))))
}

/// Waits for an answer up to the limit. Nearly all answers are ready at once and need no timer.
async fn within(state: &RequestState, limit: Option<Duration>, answer: impl Future<Output = Outgoing>) -> Outgoing {
    let mut answer = pin!(answer);
    let Some(limit) = limit else { return answer.await };
    if let Poll::Ready(outgoing) = futures::poll!(answer.as_mut()) {
        return outgoing;
    }
    tokio::select! {
        outgoing = answer => outgoing,
        () = state.api.clock.sleep(limit) => too_late(),
    }
}

/// Returns the timeout answer of the filter in front of all handlers: without kind and version, and with a text content type.
fn too_late() -> Outgoing {
    let message = "Timeout: request did not complete within the allotted timeout";
    let body = json!({"metadata": {}, "status": "Failure", "message": message, "reason": "Timeout", "details": {}, "code": 504});
    respond::text(StatusCode::GATEWAY_TIMEOUT, body.to_string()).into()
}

async fn answer(state: &Arc<RequestState>, target: &RequestTarget, incoming: Incoming) -> Outgoing {
    // Authorization comes before routing, so that an unauthorized user does not learn which resources exist (PIPE-4).
    if let Err(status) = state.api.authorize(&incoming.user, || UserAction::of(&incoming.parts.method, &incoming.parts.uri)) {
        return Outgoing::from(status);
    }
    match target {
        RequestTarget::Other { path, .. } => nonresource::answer(state, &incoming, path),
        RequestTarget::Resource(target) => {
            let mut warnings = Warnings::default();
            match resource::answer(state, target, &incoming, &mut warnings).await {
                Ok(mut outgoing) => {
                    outgoing.warnings = warnings;
                    outgoing
                }
                Err(status) => {
                    let format = negotiate::of_failure(&incoming.parts.headers);
                    Outgoing { warnings, ..Outgoing::from(respond::failure(&status, format)) }
                }
            }
        }
    }
}

impl From<Status> for Outgoing {
    fn from(status: Status) -> Self {
        respond::failure(&status, BodyFormat::Json).into()
    }
}

impl From<Response<ResponseBody>> for Outgoing {
    fn from(response: Response<ResponseBody>) -> Self {
        Self { response, warnings: Warnings::default(), stored: false }
    }
}
