//! The service that writes the journal.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderName, USER_AGENT};
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use tower::Service;

use super::mask::mask;
use super::{ChangedObject, CommittedChange, Effect, Journal, JournalBody, Outcome, Record};
use crate::error::BoxError;
use crate::identity::Identity;
use crate::target::RequestTarget;

/// The header that identifies a request and its answer in an audit log.
pub const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// A service that records every request.
#[derive(Clone, Debug)]
pub struct JournalService<S> {
    pub(super) inner: S,
    pub(super) journal: Journal,
}

impl<S, B, R> Service<Request<B>> for JournalService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + From<Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<JournalBody<R>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone that was polled ready is the one to call.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let journal = self.journal.clone();
        Box::pin(async move {
            let started = journal.clock().moment();
            let mut request = request;
            let number = journal.open(record(&mut request, &journal));
            let mut open =
                OpenRecord { number, journal, outcome: Outcome::Cancelled, audit_id: None, latency: None, effect: None };
            let mut request = open.note_body(request).await?;
            request.extensions_mut().insert(RecordNote { journal: open.journal.clone(), number: open.number });
            let answer = inner.call(request).await;
            let response = answer.map_err(|error| -> BoxError {
                open.outcome = Outcome::Broken;
                error.into()
            })?;
            let status = response.status();
            open.outcome = Outcome::Answered(status.as_u16());
            open.audit_id = response.headers().get(AUDIT_ID).and_then(|id| Some(id.to_str().ok()?.to_owned()));
            open.latency = Some(open.journal.clock().moment().saturating_sub(started));
            open.effect = response.extensions().get::<Effect>().copied();
            let is_error = status.is_client_error() || status.is_server_error();
            Ok(response.map(|body| JournalBody::new(body, &open.journal, open.number, is_error)))
        })
    }
}

fn record<B>(request: &mut Request<B>, journal: &Journal) -> Record {
    let user_agent = request.headers().get(USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned());
    Record {
        number: 0,
        time: journal.clock().now(),
        audit_id: None,
        user: request.extensions().get::<Identity>().map(|identity| identity.name().to_owned()),
        user_agent: user_agent.unwrap_or_default(),
        target: RequestTarget::in_request(request),
        query: request.uri().query().unwrap_or_default().to_owned(),
        outcome: Outcome::Running,
        reason: None,
        latency: None,
        effect: None,
        body: None,
        changes: Vec::new(),
        note: None,
    }
}

/// A server's access to the record of a request. It is in the extensions of the request.
#[derive(Clone, Debug)]
pub struct RecordNote {
    journal: Journal,
    number: u64,
}

impl RecordNote {
    /// Sets the note of the record.
    pub fn say(&self, note: impl Into<String>) {
        let note = note.into();
        self.journal.amend(self.number, |record| record.note = Some(note));
    }

    /// Returns true if the journal keeps changes.
    pub fn wants_changes(&self) -> bool {
        self.journal.keeps_bodies()
    }

    /// Records the changes that were committed while the request was handled.
    pub fn changed<'a>(&self, changes: impl IntoIterator<Item = CommittedChange<'a>>) {
        let changes = changes.into_iter().map(|change| ChangedObject::of(&change)).collect();
        self.journal.amend(self.number, |record| record.changes = changes);
    }
}

/// A record whose outcome is set when it is dropped, also if the client gives up.
struct OpenRecord {
    journal: Journal,
    number: u64,
    outcome: Outcome,
    audit_id: Option<String>,
    latency: Option<Duration>,
    effect: Option<Effect>,
}

impl OpenRecord {
    async fn note_body<B>(&self, request: Request<B>) -> Result<Request<B>, BoxError>
    where
        B: Body<Data = Bytes> + From<Bytes>,
        B::Error: Into<BoxError>,
    {
        if !self.journal.keeps_bodies() {
            return Ok(request);
        }
        let (head, body) = request.into_parts();
        let bytes = body.collect().await.map_err(Into::into)?.to_bytes();
        let value = self.journal.decode(&bytes);
        self.journal.amend(self.number, |record| {
            record.body = value;
            if let (Some(body), RequestTarget::Resource(target)) = (&mut record.body, &*record.target) {
                mask(&target.group, &target.resource, body);
            }
        });
        Ok(Request::from_parts(head, B::from(bytes)))
    }
}

impl Drop for OpenRecord {
    fn drop(&mut self) {
        self.journal.amend(self.number, |record| {
            record.outcome = self.outcome;
            record.audit_id = self.audit_id.take();
            record.latency = self.latency;
            record.effect = self.effect;
        });
    }
}
