//! The stream of a watch.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::{FutureExt as _, Stream, future::BoxFuture, stream};
use jiff::Timestamp;

use super::{
    encode::{self, EncodedEventKey, Saying},
    query::{Start, WatchQuery},
};
use crate::{
    clock::Clock,
    kinds::KindSpec,
    middleware::journal::RecordNote,
    request::{
        create::resource_of,
        negotiate::{AnswerShape, Representation},
    },
    server::ApiServerState,
    status::Status,
    store::{Event, Follow as _, Progress, Resource, Stored, Subscription},
};

/// The time between the last bookmark and the end of the watch (DIF-6).
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

impl ApiServerState {
    /// Starts a watch. A version that is too old is reported in the stream (SWATCH-4).
    pub(crate) fn watch(
        self: &Arc<Self>,
        kind: &Arc<KindSpec>,
        query: WatchQuery,
        representation: Representation,
        note: Option<RecordNote>,
    ) -> impl Stream<Item = Bytes> + Send + use<> {
        let watch = RunningWatch::start(self, kind, query, representation, note);
        stream::unfold(watch, |mut watch| async move { watch.next().await.map(|bytes| (bytes, watch)) })
    }
}

struct RunningWatch {
    state: Arc<ApiServerState>,
    kind: Arc<KindSpec>,
    query: WatchQuery,
    representation: Representation,
    /// The subscription; `None` after the end.
    subscription: Option<Subscription>,
    ready: VecDeque<Bytes>,
    /// Delayed events with their delivery times (FLT-4).
    held: VecDeque<(Duration, Arc<Event>)>,
    /// The journal record of the request, which receives the reason for which the watch ended.
    note: Option<RecordNote>,
    resource: Resource,
    api_version: Arc<str>,
    deadline: Duration,
    next_bookmark: Option<Duration>,
    /// True until a table has shown its columns.
    columns_due: bool,
    /// The timer for work that no event triggers. It stays set while events pass.
    alarm: Option<Alarm>,
    /// The minimum version of the initial objects, while the store has not reached it.
    awaited: Option<u64>,
}

/// A timer and its due time.
struct Alarm {
    due: Duration,
    timer: BoxFuture<'static, ()>,
}

impl Alarm {
    fn set(clock: &Clock, due: Duration) -> Self {
        let clock = clock.clone();
        Self { due, timer: async move { clock.sleep_until(due).await }.boxed() }
    }
}

impl RunningWatch {
    fn start(
        state: &Arc<ApiServerState>,
        kind: &Arc<KindSpec>,
        query: WatchQuery,
        representation: Representation,
        note: Option<RecordNote>,
    ) -> Self {
        let now = state.clock.moment();
        let deadline = now.saturating_add(query.timeout);
        let mut watch = Self {
            state: state.clone(),
            kind: kind.clone(),
            representation,
            subscription: None,
            ready: VecDeque::new(),
            held: VecDeque::new(),
            note,
            resource: resource_of(kind),
            api_version: kind.api_version().into(),
            deadline,
            next_bookmark: query
                .bookmarks
                .then(|| (now + state.options.bookmark_period).min(deadline.saturating_sub(LAST_BOOKMARK))),
            columns_due: matches!(representation.shape, AnswerShape::Table(_)),
            alarm: None,
            awaited: None,
            query,
        };
        match watch.query.start {
            Start::Initial(version) if version > watch.state.store.revision() => watch.awaited = Some(version),
            Start::Initial(_) => watch.send_initial(),
            Start::After(revision) => watch.subscribe(revision),
            Start::Now => watch.subscribe(watch.state.store.revision()),
        }
        watch
    }

    fn subscribe(&mut self, after: u64) {
        match self.state.store.subscribe(&self.resource, after) {
            Ok(subscription) => self.subscription = Some(subscription),
            Err(compacted) => {
                let text = format!("too old resource version: {} ({})", compacted.asked, compacted.oldest);
                self.ready.push_back(encode::error(&Status::expired(text), self.representation.format));
            }
        }
    }

    fn send_initial(&mut self) {
        let snapshot = self.state.store.snapshot();
        let namespace = self.query.namespace.clone();
        let objects: Vec<_> =
            snapshot.list(&self.resource, namespace.as_deref()).map(|(_, stored)| self.state.view(&self.kind, stored)).collect();
        let now = self.state.clock.now();
        for view in objects {
            if self.query.selection.matches(&self.kind, view.value()) {
                let with_columns = std::mem::take(&mut self.columns_due);
                self.ready.push_back(encode::event(&self.kind, Saying::Added, &view, self.representation, with_columns, now));
            }
        }
        if self.query.bookmarks {
            self.ready.push_back(encode::bookmark(&self.kind, snapshot.revision(), true, self.representation));
        }
        self.subscribe(snapshot.revision());
    }

    /// Returns the next chunk; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(version) = self.awaited.take() {
            match self.state.reach(version).await {
                Ok(()) => self.send_initial(),
                Err(status) => self.ready.push_back(encode::error(&status, self.representation.format)),
            }
        }
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                return Some(bytes);
            }
            self.release();
            if !self.ready.is_empty() {
                continue;
            }
            match self.subscription.as_mut()?.poll() {
                Progress::Events(events) => {
                    self.take(events);
                    // The deadline is also checked here, since a watch with many events never waits.
                    if self.state.clock.moment() >= self.deadline {
                        self.subscription = None;
                    }
                }
                Progress::Closed => self.subscription = None,
                Progress::Lost => {
                    self.subscription = None;
                    if let Some(note) = &self.note {
                        note.say("the watch was ended: its client reads too slowly");
                    }
                }
                Progress::Idle(revision) => self.idle(revision).await,
            }
        }
    }

    /// Sends events, or holds them until they are due.
    fn take(&mut self, events: Vec<Arc<Event>>) {
        let now = self.state.clock.now();
        for event in events {
            let late = self.state.disturbances.delay_of(&self.resource, &self.state.seed);
            if late.is_zero() && self.held.is_empty() {
                self.show(&event, now);
            } else {
                // The order of the events of one resource is never changed.
                let before = self.held.back().map_or(Duration::ZERO, |(due, _)| *due);
                self.held.push_back((self.state.clock.moment().saturating_add(late).max(before), event));
            }
        }
    }

    /// Sends the held events that are due.
    fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let (moment, now) = (self.state.clock.moment(), self.state.clock.now());
        while self.held.front().is_some_and(|(due, _)| *due <= moment) {
            let Some((_, event)) = self.held.pop_front() else { return };
            self.show(&event, now);
        }
    }

    fn show(&mut self, event: &Event, now: Timestamp) {
        if self.query.namespace.as_deref().is_some_and(|namespace| namespace != &*event.object.name.namespace) {
            return;
        }
        if let Some(bytes) = self.encode(event, now) {
            self.ready.push_back(bytes);
        }
    }

    /// Encodes an event for this watcher, or returns `None` if the event does not concern it (SWATCH-10).
    fn encode(&mut self, event: &Event, now: Timestamp) -> Option<Bytes> {
        let matched = event.previous.as_ref().is_some_and(|stored| self.matches(stored));
        let matches = event.current.as_ref().is_some_and(|stored| self.matches(stored));
        let (saying, stored) = match (matched, matches) {
            (false, false) => return None,
            (false, true) => (Saying::Added, event.current.as_ref()?),
            (true, true) => (Saying::Modified, event.current.as_ref()?),
            (true, false) => (Saying::Deleted, event.departed()?),
        };
        let with_columns = std::mem::take(&mut self.columns_due);
        let key =
            EncodedEventKey { api_version: self.api_version.clone(), representation: self.representation, saying, with_columns };
        Some(event.encoded(&key, || {
            // A departing object has the content of its last write under the new revision.
            let written = event.previous.as_ref().filter(|_| saying == Saying::Deleted).unwrap_or(stored).revision();
            let view = self.state.view_of(&self.kind, stored, written);
            encode::event(&self.kind, saying, &view, self.representation, with_columns, now)
        }))
    }

    fn matches(&self, stored: &Arc<Stored>) -> bool {
        self.query.selection.is_everything()
            || self.query.selection.matches(&self.kind, self.state.view(&self.kind, stored).value())
    }

    /// Waits for an event, for a due bookmark, or for the end.
    async fn idle(&mut self, revision: u64) {
        let now = self.state.clock.moment();
        if now >= self.deadline {
            self.subscription = None;
            return;
        }
        // A bookmark promises that all earlier events were sent.
        if let Some(due) = self.next_bookmark.filter(|due| *due <= now && self.held.is_empty()) {
            self.ready.push_back(encode::bookmark(&self.kind, revision, false, self.representation));
            let last = self.deadline.saturating_sub(LAST_BOOKMARK);
            self.next_bookmark = (due < last).then(|| (now + self.state.options.bookmark_period).min(last));
            return;
        }
        let next_held = self.held.front().map(|(due, _)| *due);
        let until = next_held.or(self.next_bookmark).unwrap_or(self.deadline).min(self.deadline);
        let Some(subscription) = &mut self.subscription else { return };
        let mut alarm = self.alarm.take().filter(|alarm| alarm.due == until);
        let Alarm { timer, .. } = alarm.get_or_insert_with(|| Alarm::set(&self.state.clock, until));
        tokio::select! {
            () = subscription.wait() => self.alarm = alarm,
            () = timer => {}
        }
    }
}
