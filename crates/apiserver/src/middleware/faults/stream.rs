//! Watches that end, or fall silent, before their time (FLT-4).

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The body of an answer that a rule may cut short.
pub struct CutBody<R> {
    inner: Pin<Box<R>>,
    end: End,
}

/// When a body stops to carry anything.
pub(super) enum End {
    /// When the server ends it.
    ByServer,
    /// After so many events.
    AfterEvents(u64),
    /// After so many events it stays open without a word.
    Silence(u64),
    /// When this is over.
    When(Pin<Box<dyn Future<Output = ()> + Send>>),
}

impl<R> CutBody<R> {
    pub(super) fn new(inner: R, end: End) -> Self {
        Self { inner: Box::pin(inner), end }
    }
}

impl<R: Body<Data = Bytes>> Body for CutBody<R> {
    type Data = Bytes;
    type Error = R::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, R::Error>>> {
        let this = self.get_mut();
        match &mut this.end {
            End::AfterEvents(0) => return Poll::Ready(None),
            End::Silence(0) => return Poll::Pending,
            End::When(over) => {
                if over.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
            }
            End::ByServer | End::AfterEvents(_) | End::Silence(_) => {}
        }
        let frame = ready!(this.inner.as_mut().poll_frame(context));
        let events = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, count);
        if let End::AfterEvents(left) | End::Silence(left) = &mut this.end {
            *left = left.saturating_sub(events);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match self.end {
            End::Silence(_) => false,
            End::AfterEvents(0) => true,
            _ => self.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self.end {
            End::ByServer => self.inner.size_hint(),
            _ => SizeHint::default(),
        }
    }
}

/// Each event of a watch is one line.
fn count(data: &Bytes) -> u64 {
    data.split(|byte| *byte == b'\n').count().saturating_sub(1) as u64
}

impl<R> fmt::Debug for CutBody<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CutBody").finish_non_exhaustive()
    }
}
