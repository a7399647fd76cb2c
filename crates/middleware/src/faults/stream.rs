//! Bodies of watches that end, or fall silent, early (FLT-4).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame, SizeHint};

/// The body of an answer that a rule may cut short.
pub struct CutBody<R> {
    inner: Pin<Box<R>>,
    end: BodyEnd,
    events: Events,
}

/// The framing of the events in the body of a watch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Events {
    /// Each event is a line.
    Lines,
    /// Each event is a protobuf message after its length in four bytes.
    Messages,
}

impl Events {
    /// Returns the framing in an answer with these headers.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
        if content_type.starts_with(b"application/vnd.kubernetes.protobuf") { Self::Messages } else { Self::Lines }
    }

    /// Returns the number of events in a chunk. A chunk holds whole events.
    fn count(self, data: &[u8]) -> u64 {
        match self {
            Self::Lines => data.split(|byte| *byte == b'\n').count().saturating_sub(1) as u64,
            Self::Messages => {
                let (mut rest, mut events) = (data, 0);
                while let Some((length, after)) = rest.split_first_chunk::<4>() {
                    rest = after.get(u32::from_be_bytes(*length) as usize..).unwrap_or_default();
                    events += 1;
                }
                events
            }
        }
    }
}

/// The moment from which on a body carries no more data.
pub(super) enum BodyEnd {
    /// The server's own end of the body.
    ByServer,
    /// The end of the body after this number of events.
    AfterEvents(u64),
    /// Silence after this number of events; the body stays open.
    Silence(u64),
    /// The end of the body when this future completes.
    When(Pin<Box<dyn Future<Output = ()> + Send>>),
}

impl<R> CutBody<R> {
    pub(super) fn new(inner: R, end: BodyEnd, events: Events) -> Self {
        Self { inner: Box::pin(inner), end, events }
    }
}

impl<R: Body<Data = Bytes>> Body for CutBody<R> {
    type Data = Bytes;
    type Error = R::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, R::Error>>> {
        let this = self.get_mut();
        match &mut this.end {
            BodyEnd::AfterEvents(0) => return Poll::Ready(None),
            BodyEnd::Silence(0) => return Poll::Pending,
            BodyEnd::When(over) => {
                if over.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
            }
            BodyEnd::ByServer | BodyEnd::AfterEvents(_) | BodyEnd::Silence(_) => {}
        }
        let frame = ready!(this.inner.as_mut().poll_frame(context));
        let events = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, |data| this.events.count(data));
        if let BodyEnd::AfterEvents(left) | BodyEnd::Silence(left) = &mut this.end {
            *left = left.saturating_sub(events);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match self.end {
            BodyEnd::Silence(_) => false,
            BodyEnd::AfterEvents(0) => true,
            _ => self.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self.end {
            BodyEnd::ByServer => self.inner.size_hint(),
            _ => SizeHint::default(),
        }
    }
}

impl<R> fmt::Debug for CutBody<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CutBody").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // FLT-4
    #[test]
    fn events_are_counted_in_the_format_of_the_watch() {
        assert_eq!(Events::Lines.count(b"{}\n{}\n"), 2);
        assert_eq!(Events::Messages.count(b"\0\0\0\x03\n\n\n\0\0\0\x01a"), 2);
        assert_eq!(Events::Messages.count(b"\xff\xff\xff\xffa"), 1);
        let of = |content_type| {
            let headers = [(CONTENT_TYPE, HeaderValue::from_static(content_type))].into_iter().collect();
            Events::of(&headers).count(b"\0\0\0\x01\n")
        };
        assert_eq!(of("application/vnd.kubernetes.protobuf;stream=watch"), 1);
        assert_eq!(of("application/json"), 1);
        assert_eq!(Events::of(&HeaderMap::new()).count(b"\n\n"), 2);
    }
}
