//! A body that extracts the reason of an error while it passes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use serde_json::Value;

use super::Journal;

/// The maximum length of an error body that is read; a Status is short.
const LIMIT: usize = 64 * 1024;

/// The body of an answer on its way to the client.
#[derive(Debug)]
pub struct JournalBody<R> {
    inner: Pin<Box<R>>,
    error: Option<ErrorText>,
}

#[derive(Debug)]
struct ErrorText {
    journal: Journal,
    number: u64,
    text: Vec<u8>,
}

impl<R> JournalBody<R> {
    /// Passes the body on. If it is an error, its reason is noted in the record of this number.
    pub(super) fn new(inner: R, journal: &Journal, number: u64, is_error: bool) -> Self {
        let error = is_error.then(|| ErrorText { journal: journal.clone(), number, text: Vec::new() });
        Self { inner: Box::pin(inner), error }
    }
}

impl ErrorText {
    fn note(self) {
        let status: Option<Value> = serde_json::from_slice(&self.text).ok();
        if let Some(reason) = status.as_ref().and_then(|status| status.get("reason")?.as_str()) {
            self.journal.amend(self.number, |record| record.reason = Some(reason.to_owned()));
        }
    }
}

impl<R: Body<Data = Bytes>> Body for JournalBody<R> {
    type Data = Bytes;
    type Error = R::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, R::Error>>> {
        let this = self.get_mut();
        let frame = ready!(this.inner.as_mut().poll_frame(context));
        if let Some(error) = &mut this.error {
            match frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
                Some(data) if error.text.len() + data.len() <= LIMIT => error.text.extend_from_slice(data),
                Some(_) => this.error = None,
                None => {}
            }
        }
        if (frame.is_none() || this.inner.is_end_stream())
            && let Some(error) = this.error.take()
        {
            error.note();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.error.is_none() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
