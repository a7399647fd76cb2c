//! The stream of a watch.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, Stream, stream};
use kubewright_middleware::{Clock, Status};

use super::output::{WatchEventType, WatchOutput};
use super::query::{WatchQuery, WatchStart};
use crate::api::{ObjectApi, Remarks, resource_of};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{Resource, StoreEvent, Stored, Subscription, SubscriptionNews};

/// The time between the last bookmark and the end of the watch (DIF-6).
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

impl ObjectApi {
    /// Starts a watch. The stream ends after the duration of the watch, after an error, and if its consumer reads too slowly; `remarks` then receives
    /// the reason. A version that is too old is reported in the stream (SWATCH-4).
    ///
    /// The stream waits on the [`Clock`](crate::Clock) of the API. With the system clock it must be polled inside a Tokio runtime.
    pub fn watch(
        self: &Arc<Self>,
        kind: &Arc<KindSpec>,
        query: WatchQuery,
        remarks: Option<Arc<dyn Remarks>>,
    ) -> impl Stream<Item = WatchOutput> + Send + use<> {
        // In a box, because the stream moves its state for each output.
        let watch = Box::new(RunningWatch::start(self, kind, query, remarks));
        stream::unfold(watch, |mut watch| async move { watch.next().await.map(|output| (output, watch)) })
    }
}

struct RunningWatch {
    api: Arc<ObjectApi>,
    kind: Arc<KindSpec>,
    query: WatchQuery,
    /// The subscription; `None` after the end.
    subscription: Option<Subscription>,
    ready: VecDeque<WatchOutput>,
    /// Delayed events with their delivery times (FLT-4).
    held: VecDeque<(Duration, Arc<StoreEvent>)>,
    /// The remarks on the request, which receive the reason for which the watch ended.
    remarks: Option<Arc<dyn Remarks>>,
    resource: Resource,
    deadline: Duration,
    next_bookmark: Option<Duration>,
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
    fn start(api: &Arc<ObjectApi>, kind: &Arc<KindSpec>, query: WatchQuery, remarks: Option<Arc<dyn Remarks>>) -> Self {
        let now = api.clock.moment();
        let deadline = now.saturating_add(query.timeout);
        let mut watch = Self {
            api: api.clone(),
            kind: kind.clone(),
            subscription: None,
            ready: VecDeque::new(),
            held: VecDeque::new(),
            remarks,
            resource: resource_of(kind),
            deadline,
            next_bookmark: query
                .bookmarks
                .then(|| (now + api.options.bookmark_period).min(deadline.saturating_sub(LAST_BOOKMARK))),
            alarm: None,
            awaited: None,
            query,
        };
        match watch.query.start {
            WatchStart::Initial(version) if version > watch.api.store.revision() => watch.awaited = Some(version),
            WatchStart::Initial(_) => watch.send_initial(),
            WatchStart::After(revision) => watch.subscribe(revision),
            WatchStart::Now => watch.subscribe(watch.api.store.revision()),
        }
        watch
    }

    fn subscribe(&mut self, after: u64) {
        match self.api.store.subscribe(&self.resource, after) {
            Ok(subscription) => self.subscription = Some(subscription),
            Err(compacted) => {
                let text = format!("too old resource version: {} ({})", compacted.asked, compacted.oldest);
                self.ready.push_back(WatchOutput::Error(Box::new(Status::expired(text))));
            }
        }
    }

    fn send_initial(&mut self) {
        let snapshot = self.api.store.snapshot();
        let namespace = self.query.namespace.clone();
        let objects: Vec<_> =
            snapshot.list(&self.resource, namespace.as_deref()).map(|(_, stored)| self.api.view(&self.kind, stored)).collect();
        for view in objects {
            if self.query.selection.matches(&self.kind, view.value()) {
                self.ready.push_back(WatchOutput::Initial { object: view });
            }
        }
        if self.query.bookmarks {
            self.ready.push_back(WatchOutput::Bookmark { revision: snapshot.revision(), is_initial_end: true });
        }
        self.subscribe(snapshot.revision());
    }

    /// Returns the next output; `None` at the end.
    async fn next(&mut self) -> Option<WatchOutput> {
        if let Some(version) = self.awaited.take() {
            match self.api.reach(version).await {
                Ok(()) => self.send_initial(),
                Err(status) => self.ready.push_back(WatchOutput::Error(Box::new(status))),
            }
        }
        loop {
            if let Some(output) = self.ready.pop_front() {
                return Some(output);
            }
            self.release();
            if !self.ready.is_empty() {
                continue;
            }
            match self.subscription.as_mut()?.poll() {
                SubscriptionNews::Events(events) => {
                    self.take(events);
                    // The deadline is also checked here, since a watch with many events never waits.
                    if self.api.clock.moment() >= self.deadline {
                        self.subscription = None;
                    }
                }
                SubscriptionNews::Closed => self.subscription = None,
                SubscriptionNews::Lost => {
                    self.subscription = None;
                    if let Some(remarks) = &self.remarks {
                        remarks.remark("the watch was ended: its client reads too slowly");
                    }
                }
                SubscriptionNews::Idle(revision) => self.idle(revision).await,
            }
        }
    }

    /// Sends events, or holds them until they are due.
    fn take(&mut self, events: Vec<Arc<StoreEvent>>) {
        for event in events {
            let late = self.api.disturbances.delay_of(&self.resource, &self.api.seed);
            if late.is_zero() && self.held.is_empty() {
                self.show(event);
            } else {
                // The order of the events of one resource is never changed.
                let before = self.held.back().map_or(Duration::ZERO, |(due, _)| *due);
                self.held.push_back((self.api.clock.moment().saturating_add(late).max(before), event));
            }
        }
    }

    /// Sends the held events that are due.
    fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let moment = self.api.clock.moment();
        while self.held.front().is_some_and(|(due, _)| *due <= moment) {
            let Some((_, event)) = self.held.pop_front() else { return };
            self.show(event);
        }
    }

    fn show(&mut self, event: Arc<StoreEvent>) {
        if self.query.namespace.as_deref().is_some_and(|namespace| namespace != &*event.object.name.namespace) {
            return;
        }
        if let Some(event_type) = self.event_type(&event) {
            self.ready.push_back(WatchOutput::Changed { event, event_type });
        }
    }

    /// Returns the meaning of an event for this watcher, or `None` if the event does not concern it (SWATCH-10).
    fn event_type(&self, event: &StoreEvent) -> Option<WatchEventType> {
        let matched = event.previous.as_ref().is_some_and(|stored| self.matches(stored));
        let matches = event.current.as_ref().is_some_and(|stored| self.matches(stored));
        match (matched, matches) {
            (false, false) => None,
            (false, true) => Some(WatchEventType::Added),
            (true, true) => Some(WatchEventType::Modified),
            (true, false) => Some(WatchEventType::Deleted),
        }
    }

    fn matches(&self, stored: &Arc<Stored>) -> bool {
        self.query.selection.is_everything()
            || self.query.selection.matches(&self.kind, self.api.view(&self.kind, stored).value())
    }

    /// Waits for an event, for a due bookmark, or for the end.
    async fn idle(&mut self, revision: u64) {
        let now = self.api.clock.moment();
        if now >= self.deadline {
            self.subscription = None;
            return;
        }
        // A bookmark promises that all earlier events were sent.
        if let Some(due) = self.next_bookmark.filter(|due| *due <= now && self.held.is_empty()) {
            self.ready.push_back(WatchOutput::Bookmark { revision, is_initial_end: false });
            let last = self.deadline.saturating_sub(LAST_BOOKMARK);
            self.next_bookmark = (due < last).then(|| (now + self.api.options.bookmark_period).min(last));
            return;
        }
        let next_held = self.held.front().map(|(due, _)| *due);
        let until = next_held.or(self.next_bookmark).unwrap_or(self.deadline).min(self.deadline);
        let Some(subscription) = &mut self.subscription else { return };
        let mut alarm = self.alarm.take().filter(|alarm| alarm.due == until);
        let Alarm { timer, .. } = alarm.get_or_insert_with(|| Alarm::set(&self.api.clock, until));
        tokio::select! {
            () = subscription.wait() => self.alarm = alarm,
            () = timer => {}
        }
    }
}
