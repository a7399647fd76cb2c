//! The latest changes of one resource (WCH-1).

use std::{
    any::Any,
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use parking_lot::Mutex;

use super::{ObjectRef, Stored};

/// A committed change with the object before and after it.
pub struct Event {
    /// The revision of the change.
    pub revision: u64,
    /// The object.
    pub object: ObjectRef,
    /// What it was; `None` for a new object.
    pub previous: Option<Arc<Stored>>,
    /// What it became; `None` for a deleted object.
    pub current: Option<Arc<Stored>>,
    departed: OnceLock<Option<Arc<Stored>>>,
    encoded: Mutex<Vec<(Box<dyn Any + Send>, Bytes)>>,
}

/// What a change was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The object is new.
    Added,
    /// The object changed.
    Modified,
    /// The object is gone.
    Deleted,
}

impl EventKind {
    /// The type of a watch event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Event {
    pub(super) fn new(revision: u64, object: ObjectRef, previous: Option<Arc<Stored>>, current: Option<Arc<Stored>>) -> Self {
        Self { revision, object, previous, current, departed: OnceLock::new(), encoded: Mutex::new(Vec::new()) }
    }

    /// What the change was.
    pub fn kind(&self) -> EventKind {
        match (&self.previous, &self.current) {
            (_, None) => EventKind::Deleted,
            (None, Some(_)) => EventKind::Added,
            (Some(_), Some(_)) => EventKind::Modified,
        }
    }

    /// The object after the change, or before it if it is gone.
    pub fn latest(&self) -> Option<&Arc<Stored>> {
        self.current.as_ref().or(self.previous.as_ref())
    }

    /// The old content under the new revision: what a watcher is sent for whom the object is gone (WATCH-10, WATCH-11).
    pub fn departed(&self) -> Option<&Arc<Stored>> {
        self.departed
            .get_or_init(|| self.previous.as_ref().map(|previous| Arc::new(Stored::new(previous.value().clone(), self.revision))))
            .as_ref()
    }

    /// The event in a representation, made by the first who asks for it (WCH-2).
    pub(crate) fn encoded<K: PartialEq + Clone + Send + 'static>(
        &self,
        representation: &K,
        encode: impl FnOnce() -> Bytes,
    ) -> Bytes {
        let mut encoded = self.encoded.lock();
        let found = encoded.iter().find(|(key, _)| key.downcast_ref::<K>() == Some(representation));
        if let Some((_, bytes)) = found {
            return bytes.clone();
        }
        let bytes = encode();
        encoded.push((Box::new(representation.clone()), bytes.clone()));
        bytes
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Event({} {} {})", self.revision, self.kind().as_str(), self.object)
    }
}

/// The latest events of one resource, oldest first.
#[derive(Debug)]
pub(super) struct History {
    events: VecDeque<Arc<Event>>,
    /// Everything up to this revision is forgotten.
    forgotten: u64,
    window: usize,
}

impl History {
    pub(super) fn new(window: usize, forgotten: u64) -> Self {
        Self { events: VecDeque::new(), forgotten, window }
    }

    /// The revision up to which everything is forgotten.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn push(&mut self, event: Arc<Event>) {
        if self.events.len() >= self.window.max(1)
            && let Some(oldest) = self.events.pop_front()
        {
            self.forgotten = oldest.revision;
        }
        self.events.push_back(event);
    }

    /// Forgets everything up to a revision.
    pub(super) fn compact(&mut self, revision: u64) {
        let keep = self.events.partition_point(|event| event.revision <= revision);
        self.events.drain(..keep);
        self.forgotten = self.forgotten.max(revision);
    }

    /// Events after a revision, oldest first; `None` if some of them are forgotten.
    pub(super) fn after(&self, revision: u64) -> Option<impl DoubleEndedIterator<Item = &Arc<Event>>> {
        if revision < self.forgotten {
            return None;
        }
        let start = self.events.partition_point(|event| event.revision <= revision);
        Some(self.events.range(start..))
    }
}
