//! Bodies of answers, and the reading of request bodies.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use kubewright_middleware::Status;

use crate::status::StatusExt as _;

/// The largest body that is read (DISC-19).
pub(crate) const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// The body of an answer: complete, or a stream of watch events with one event per frame.
pub struct ResponseBody(BodyContent);

enum BodyContent {
    Full(Option<Bytes>),
    Events(BoxStream<'static, Bytes>),
}

impl ResponseBody {
    /// Creates a complete body.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self(BodyContent::Full((!bytes.is_empty()).then_some(bytes)))
    }

    /// Changes a complete body.
    pub(in crate::request) fn rewrite(&mut self, change: impl FnOnce(Bytes) -> Bytes) {
        if let BodyContent::Full(Some(bytes)) = &mut self.0 {
            *bytes = change(std::mem::take(bytes));
        }
    }

    /// Creates a body that goes on until the stream ends.
    pub fn events(events: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(BodyContent::Events(events.boxed()))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.get_mut().0 {
            BodyContent::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            BodyContent::Events(events) => events.poll_next_unpin(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, BodyContent::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            BodyContent::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            BodyContent::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            BodyContent::Full(_) => "ResponseBody::Full",
            BodyContent::Events(_) => "ResponseBody::Events",
        })
    }
}

/// Reads a body up to the limit.
pub(in crate::request) async fn read<B>(body: B) -> Result<Bytes, Status>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(Status::too_large(format!("Request entity too large: limit is {MAX_BODY_BYTES}")))
        }
        Err(error) => Err(Status::bad_request(format!("unable to read the body of the request: {error}"))),
    }
}
