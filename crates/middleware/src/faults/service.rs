//! The service that applies the fault rules.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Either, Full};
use serde_json::{Value, json};
use tower::Service;

use super::action::{Edit, FaultAction};
use super::rule::Seen;
use super::stream::{BodyEnd, CutBody, Events};
use super::{ConnectionDropped, Faults};
use crate::error::BoxError;
use crate::identity::Identity;
use crate::status::Status;
use crate::target::RequestTarget;
use crate::verb::Verb;

/// The body of an answer: the server's, possibly cut short, or one made by a rule.
pub type FaultBody<R> = Either<CutBody<R>, Full<Bytes>>;

/// A service that makes requests fail by rule.
#[derive(Clone, Debug)]
pub struct FaultService<S> {
    pub(super) inner: S,
    pub(super) faults: Faults,
}

impl<S, B, R> Service<Request<B>> for FaultService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + From<Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    R: Body<Data = Bytes> + Send,
    R::Error: Into<BoxError>,
{
    type Response = Response<FaultBody<R>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let faults = self.faults.clone();
        Box::pin(async move {
            let (action, mut request) = decide(&faults, request).await?;
            match action {
                None => pass(&mut inner, request).await,
                Some(FaultAction::Respond(status)) => Ok(failure(&status)),
                Some(FaultAction::RespondAfter(status)) => {
                    pass(&mut inner, request).await?;
                    Ok(failure(&status))
                }
                Some(FaultAction::Delay(delay)) => {
                    faults.clock().sleep(delay).await;
                    pass(&mut inner, request).await
                }
                Some(FaultAction::DropBefore) => Err(ConnectionDropped { handled: false }.into()),
                Some(FaultAction::DropAfter) => {
                    pass(&mut inner, request).await?;
                    Err(ConnectionDropped { handled: true }.into())
                }
                Some(FaultAction::CutWatch(events)) => pass_until(&mut inner, request, BodyEnd::AfterEvents(events)).await,
                Some(FaultAction::HangWatch(events)) => pass_until(&mut inner, request, BodyEnd::Silence(events)).await,
                Some(FaultAction::CutWatchAfter(time)) => {
                    let clock = faults.clock().clone();
                    pass_until(&mut inner, request, BodyEnd::When(Box::pin(async move { clock.sleep(time).await }))).await
                }
                Some(FaultAction::ExpireWatch) => Ok(expired()),
                Some(FaultAction::EditRequest(edit)) => pass(&mut inner, edit_request(request, &edit).await?).await,
                Some(FaultAction::EditResponse(edit)) => {
                    let streams = RequestTarget::in_request(&mut request).verb() == Some(Verb::Watch);
                    let response = pass(&mut inner, request).await?;
                    if streams { Ok(response) } else { edit_response(response, &edit).await }
                }
            }
        })
    }
}

/// Returns the action of the rules on a request. The body is read only if a rule depends on it.
async fn decide<B>(faults: &Faults, mut request: Request<B>) -> Result<(Option<FaultAction>, Request<B>), BoxError>
where
    B: Body<Data = Bytes> + From<Bytes>,
    B::Error: Into<BoxError>,
{
    if faults.are_none() {
        return Ok((None, request));
    }
    let target = RequestTarget::in_request(&mut request);
    let (request, body) = if faults.needs_body(&target) {
        let (head, body) = request.into_parts();
        let bytes = body.collect().await.map_err(Into::into)?.to_bytes();
        let value: Option<Value> = serde_json::from_slice(&bytes).ok();
        (Request::from_parts(head, B::from(bytes)), value)
    } else {
        (request, None)
    };
    let seen = Seen {
        target: &target,
        user: request.extensions().get::<Identity>().map(Identity::name),
        user_agent: request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default(),
        body: body.as_ref(),
    };
    let action = faults.decide(&seen);
    Ok((action, request))
}

async fn pass<S, B, R>(inner: &mut S, request: Request<B>) -> Result<Response<FaultBody<R>>, BoxError>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Error: Into<BoxError>,
{
    pass_until(inner, request, BodyEnd::ByServer).await
}

async fn pass_until<S, B, R>(inner: &mut S, request: Request<B>, end: BodyEnd) -> Result<Response<FaultBody<R>>, BoxError>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Error: Into<BoxError>,
{
    let response = inner.call(request).await.map_err(Into::into)?;
    let events = Events::of(response.headers());
    Ok(response.map(|body| Either::Left(CutBody::new(body, end, events))))
}

/// Returns the answer to a watch whose version is too old: an error inside a stream that then ends (SWATCH-4).
fn expired<R>() -> Response<FaultBody<R>> {
    let status = Status::new(410, "Expired", "too old resource version: injected fault");
    let event = json!({"type": "ERROR", "object": status.to_value()});
    let mut response = Response::new(Either::Right(Full::from(format!("{event}\n"))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn failure<R>(status: &Status) -> Response<FaultBody<R>> {
    let text = status.to_value().to_string();
    let mut response = Response::new(Either::Right(Full::from(text)));
    *response.status_mut() = status.status_code();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = status.details.as_ref().map(|details| details.retry_after_seconds).filter(|seconds| *seconds > 0) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

async fn edit_request<B>(request: Request<B>, edit: &Edit) -> Result<Request<B>, BoxError>
where
    B: Body<Data = Bytes> + From<Bytes>,
    B::Error: Into<BoxError>,
{
    let (mut head, body) = request.into_parts();
    let bytes = edited(body.collect().await.map_err(Into::into)?.to_bytes(), edit);
    head.headers.remove(CONTENT_LENGTH);
    Ok(Request::from_parts(head, B::from(bytes)))
}

async fn edit_response<R>(response: Response<FaultBody<R>>, edit: &Edit) -> Result<Response<FaultBody<R>>, BoxError>
where
    R: Body<Data = Bytes> + Send,
    R::Error: Into<BoxError>,
{
    let (mut head, body) = response.into_parts();
    let bytes = edited(body.collect().await?.to_bytes(), edit);
    head.headers.remove(CONTENT_LENGTH);
    Ok(Response::from_parts(head, Either::Right(Full::from(bytes))))
}

/// Returns the JSON after the edit; bytes that are not JSON pass unchanged.
fn edited(bytes: Bytes, edit: &Edit) -> Bytes {
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(mut value) => {
            edit(&mut value);
            value.to_string().into()
        }
        Err(_) => bytes,
    }
}
