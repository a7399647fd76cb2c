//! The latest changes of one resource (WCH-1).

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parking_lot::Mutex;

use super::{ObjectRef, Stored};

/// A committed change with the object before and after it.
pub struct StoreEvent {
    /// The revision of the change.
    pub revision: u64,
    /// The object.
    pub object: ObjectRef,
    /// The object before the change; `None` for a new object.
    pub previous: Option<Arc<Stored>>,
    /// The object after the change; `None` for a deleted object.
    pub current: Option<Arc<Stored>>,
    departed: OnceLock<Option<Arc<Stored>>>,
    encoded: Mutex<Vec<(Box<dyn Any + Send>, Bytes)>>,
    /// The approximate size in bytes, if the event is in its small form; the few recent events are not.
    cold_bytes: Option<usize>,
}

/// The memory of an event besides its text, in bytes, estimated.
const EVENT_BYTES: usize = 512;

impl StoreEvent {
    pub(super) fn new(revision: u64, object: ObjectRef, previous: Option<Arc<Stored>>, current: Option<Arc<Stored>>) -> Self {
        Self { revision, object, previous, current, departed: OnceLock::new(), encoded: Mutex::new(Vec::new()), cold_bytes: None }
    }

    /// Returns the object after the change, or before it if it was deleted.
    pub fn latest(&self) -> Option<&Arc<Stored>> {
        self.current.as_ref().or(self.previous.as_ref())
    }

    /// Returns the old content under the new revision, which a watcher is sent when an object stops matching or is deleted (SWATCH-10, SWATCH-11).
    pub fn departed(&self) -> Option<&Arc<Stored>> {
        self.departed
            .get_or_init(|| self.previous.as_ref().map(|previous| Arc::new(Stored::new(previous.value().clone(), self.revision))))
            .as_ref()
    }

    /// Returns the event in a representation. It is encoded for the first reader (WCH-2), and the encoding is kept while the event is recent.
    pub(crate) fn encoded<K: PartialEq + Clone + Send + 'static>(
        &self,
        representation: &K,
        encode: impl FnOnce() -> Option<Bytes>,
    ) -> Option<Bytes> {
        let mut encoded = self.encoded.lock();
        let found = encoded.iter().find(|(key, _)| key.downcast_ref::<K>() == Some(representation));
        if let Some((_, bytes)) = found {
            return Some(bytes.clone());
        }
        let bytes = encode()?;
        // The encoding of an old event is not kept, since it is for a single late reader.
        if self.cold_bytes.is_none() {
            encoded.push((Box::new(representation.clone()), bytes.clone()));
        }
        Some(bytes)
    }

    /// Returns the event in its small form: objects as text only, without encodings.
    pub(super) fn cold(&self) -> Self {
        let cold = |stored: &Option<Arc<Stored>>| stored.as_ref().map(Stored::cold);
        let small = Self::new(self.revision, self.object.clone(), cold(&self.previous), cold(&self.current));
        // The object before the change counts as part of an earlier event.
        let text = small.latest().map_or(0, |stored| stored.text_len());
        Self { cold_bytes: Some(EVENT_BYTES + text), ..small }
    }
}

impl std::fmt::Debug for StoreEvent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match (&self.previous, &self.current) {
            (_, None) => "DELETED",
            (None, Some(_)) => "ADDED",
            (Some(_), Some(_)) => "MODIFIED",
        };
        write!(formatter, "Event({} {kind} {})", self.revision, self.object)
    }
}

/// The latest events of one resource, oldest first.
#[derive(Debug)]
pub(super) struct EventHistory {
    events: VecDeque<Arc<StoreEvent>>,
    /// The total size of the events in their small form, in bytes.
    bytes: usize,
    /// The number of events that were dropped before the first one.
    before: u64,
    /// The revision up to which events may not be requested any more.
    forgotten: u64,
    /// The revision of the last event that was dropped.
    dropped: u64,
    window: usize,
}

impl EventHistory {
    pub(super) fn new(window: usize, forgotten: u64) -> Self {
        Self { events: VecDeque::new(), bytes: 0, before: 0, forgotten, dropped: 0, window }
    }

    /// Returns the revision up to which events may not be requested any more.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Returns the revision of the last event.
    pub(super) fn last(&self) -> u64 {
        self.events.back().map_or(self.dropped, |event| event.revision)
    }

    /// Adds an event and returns its number.
    pub(super) fn push(&mut self, event: Arc<StoreEvent>) -> u64 {
        if self.events.len() >= self.window.max(1) {
            self.drop_oldest();
        }
        self.events.push_back(event);
        self.before + self.events.len() as u64 - 1
    }

    /// Drops the oldest event and returns it.
    pub(super) fn drop_oldest(&mut self) -> Option<Arc<StoreEvent>> {
        let oldest = self.events.pop_front()?;
        self.before += 1;
        self.dropped = oldest.revision;
        self.forgotten = self.forgotten.max(oldest.revision);
        self.bytes -= oldest.cold_bytes.unwrap_or(0);
        Some(oldest)
    }

    /// Returns the total size of the events in their small form, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the revision of the oldest event if it is in its small form.
    pub(super) fn oldest_cold(&self) -> Option<u64> {
        self.events.front().filter(|event| event.cold_bytes.is_some()).map(|event| event.revision)
    }

    /// Drops all events up to a revision.
    pub(super) fn compact(&mut self, revision: u64) {
        let keep = self.events.partition_point(|event| event.revision <= revision);
        self.before += keep as u64;
        for event in self.events.drain(..keep) {
            self.dropped = event.revision;
            self.bytes -= event.cold_bytes.unwrap_or(0);
        }
        self.forgotten = self.forgotten.max(revision);
    }

    /// Replaces the event of this number, if it is still held, by its small form.
    pub(super) fn cool(&mut self, number: u64, cold: Arc<StoreEvent>) {
        let index = number.checked_sub(self.before).map(|index| index as usize);
        if let Some(event) = index.and_then(|index| self.events.get_mut(index)) {
            self.bytes += cold.cold_bytes.unwrap_or(0);
            *event = cold;
        }
    }

    /// Returns the number of events after a revision.
    pub(super) fn count_after(&self, revision: u64) -> usize {
        self.events.len() - self.events.partition_point(|event| event.revision <= revision)
    }

    /// Returns the events after a revision, oldest first; `None` if they may not be requested any more.
    pub(super) fn after(&self, revision: u64) -> Option<impl DoubleEndedIterator<Item = &Arc<StoreEvent>>> {
        (revision >= self.forgotten).then(|| self.rest(revision))
    }

    /// Returns the same for a subscription that has read all events up to a revision; `None` if an event that it has not seen was dropped.
    pub(super) fn next(&self, revision: u64) -> Option<impl DoubleEndedIterator<Item = &Arc<StoreEvent>>> {
        (revision >= self.dropped).then(|| self.rest(revision))
    }

    fn rest(&self, revision: u64) -> impl DoubleEndedIterator<Item = &Arc<StoreEvent>> {
        let start = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(start..)
    }
}
