//! The store itself: one lock, which is held briefly for a commit or for taking a snapshot.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::dependents::Dependents;
use super::history::EventHistory;
use super::subscription::SubscriberProgress;
use super::{CommitError, Expect, ObjectName, ObjectRef, Resource, Snapshot, StoreChange, StoreEvent, Stored, Subscription};

/// The number of recently written objects that are kept as values; older ones are kept as text until they are read.
const WARM: usize = 512;
/// The default limit for the older events of all resources, in bytes.
pub(crate) const HISTORY_BYTES: usize = 16 * 1024 * 1024;

/// The objects of one server, their recent history, and the subscribers.
#[derive(Debug)]
pub struct ObjectStore {
    pub(super) state: Mutex<StoreContents>,
    window: usize,
    /// The maximum number of pending events of a subscriber.
    pub(super) queue: usize,
    /// The limit for the older events of all resources, in bytes.
    bytes: usize,
    /// The revision of the last commit, readable without the lock.
    revision: AtomicU64,
    fails: AtomicBool,
}

#[derive(Debug)]
pub(super) struct StoreContents {
    pub(super) snapshot: Snapshot,
    /// The revision up to which the history of every resource is compacted.
    compacted: u64,
    pub(super) channels: HashMap<Resource, Channel>,
    dependents: Dependents,
    /// Events that the controllers have not taken yet; `None` if they are not collected.
    outbox: Option<Vec<Arc<StoreEvent>>>,
    /// The last writes that have not been turned into text yet, each with its number in the history.
    warm: VecDeque<(Arc<StoreEvent>, u64)>,
}

/// The history of a resource and the bell that wakes its subscribers.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) history: EventHistory,
    /// The number of times that all subscriptions were ended.
    pub(super) closings: u64,
    bell: Arc<watch::Sender<()>>,
    readers: Vec<Weak<SubscriberProgress>>,
}

/// The error for a version that is no longer remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read revision {asked}: everything before {oldest} is forgotten")]
pub struct Compacted {
    /// The requested revision.
    pub asked: u64,
    /// The oldest revision that is still remembered.
    pub oldest: u64,
}

/// The whole content of a store at one moment, which can be restored.
#[derive(Clone, Debug)]
pub struct Saved {
    snapshot: Snapshot,
    dependents: Dependents,
    /// The events that controllers had not taken yet.
    outbox: Option<Vec<Arc<StoreEvent>>>,
}

impl ObjectStore {
    /// Creates an empty store that remembers `window` events per resource.
    pub fn new(window: usize) -> Self {
        Self::from_state(StoreContents::new(Snapshot::empty(0), Dependents::new(), Some(Vec::new())), window, window)
    }

    /// Ends a subscription with more than `queue` pending events.
    pub fn with_queue(mut self, queue: usize) -> Self {
        self.queue = queue.max(1);
        self
    }

    /// Limits the older events of all resources to this many bytes; the oldest are dropped first. Default: 16 MiB.
    pub fn with_history_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    fn from_state(state: StoreContents, window: usize, queue: usize) -> Self {
        let revision = AtomicU64::new(state.snapshot.revision);
        Self { state: Mutex::new(state), window, queue, bytes: HISTORY_BYTES, revision, fails: AtomicBool::new(false) }
    }

    /// Returns an independent store with the same content (FRK-1), at a cost that does not depend on its size: the content is shared until it
    /// differs. The fork has no history.
    pub fn fork(&self) -> Self {
        let state = self.state.lock();
        let fork = StoreContents::new(state.snapshot.clone(), state.dependents.clone(), state.outbox.clone());
        Self::from_state(fork, self.window, self.queue).with_history_bytes(self.bytes)
    }

    /// Returns the current content, for [`ObjectStore::restore`].
    pub fn save(&self) -> Saved {
        let state = self.state.lock();
        Saved { snapshot: state.snapshot.clone(), dependents: state.dependents.clone(), outbox: state.outbox.clone() }
    }

    /// Restores an earlier content (FRK-3). Revisions are not reused: the content gets a new revision. All subscriptions end, and the history is
    /// dropped.
    pub fn restore(&self, saved: &Saved) {
        let mut state = self.state.lock();
        let revision = state.snapshot.revision + 1;
        state.snapshot = saved.snapshot.clone();
        state.snapshot.revision = revision;
        self.revision.store(revision, Ordering::Release);
        state.dependents = saved.dependents.clone();
        state.outbox.clone_from(&saved.outbox);
        state.forget(revision);
        state.channels.values_mut().for_each(Channel::close);
    }

    /// Returns the current content.
    pub fn snapshot(&self) -> Snapshot {
        self.state.lock().snapshot.clone()
    }

    /// Returns the content of one resource at an older revision; the other resources of the snapshot are empty.
    pub fn snapshot_at(&self, resource: &Resource, revision: u64) -> Result<Snapshot, Compacted> {
        let state = self.state.lock();
        let mut snapshot = Snapshot::empty(revision);
        if let Some(objects) = state.snapshot.resources.get(resource) {
            snapshot.resources.insert_mut(resource.clone(), objects.clone());
        }
        let oldest = state.oldest(resource);
        let Some(channel) = state.channels.get(resource) else {
            return if revision < oldest { Err(Compacted { asked: revision, oldest }) } else { Ok(snapshot) };
        };
        let undone: Vec<_> =
            channel.history.after(revision).ok_or(Compacted { asked: revision, oldest })?.rev().cloned().collect();
        drop(state);
        for event in undone {
            snapshot.put(resource, &event.object.name, event.previous.clone());
        }
        Ok(snapshot)
    }

    /// Commits all changes or none, each with a revision of its own, and returns the events in order.
    pub fn commit(&self, changes: Vec<StoreChange>) -> Result<Vec<Arc<StoreEvent>>, CommitError> {
        let mut state = self.state.lock();
        for change in &changes {
            let present = state.snapshot.get(&change.object.resource, &change.object.name).map(|stored| stored.revision());
            match (change.expect, present) {
                (Expect::Anything, _) | (Expect::Absent, None) => {}
                (Expect::Revision(seen), Some(present)) if seen == present => {}
                (Expect::Absent, Some(_)) => return Err(CommitError::Exists(change.object.clone())),
                (Expect::Revision(_), Some(_)) => return Err(CommitError::Changed(change.object.clone())),
                (Expect::Revision(_), None) => return Err(CommitError::Gone(change.object.clone())),
            }
        }
        if let Some(change) = changes.first()
            && self.fails.load(Ordering::Relaxed)
            && self.fails.swap(false, Ordering::AcqRel)
        {
            return Err(CommitError::Failed(change.object.clone()));
        }
        let mut bells: Vec<Arc<watch::Sender<()>>> = Vec::new();
        let events = changes.into_iter().filter_map(|change| state.apply(change, self.window, &mut bells)).collect();
        self.revision.store(state.snapshot.revision, Ordering::Release);
        let mut cooled = state.cool();
        state.trim(self.bytes, &mut cooled);
        // The lock is released before subscribers are woken, since they read at once, and before old values are dropped, so that writers do not wait.
        drop(state);
        for bell in &bells {
            bell.send_replace(());
        }
        drop(cooled);
        Ok(events)
    }

    /// Returns an object in its current state.
    pub fn get(&self, resource: &Resource, name: &ObjectName) -> Option<Arc<Stored>> {
        self.state.lock().snapshot.get(resource, name).cloned()
    }

    /// Subscribes to a resource from a revision on.
    pub fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Subscription, Compacted> {
        let mut state = self.state.lock();
        let oldest = state.oldest(resource);
        if after < oldest {
            return Err(Compacted { asked: after, oldest });
        }
        let channel = state.channel(resource, self.window);
        let reader = Arc::new(SubscriberProgress::default());
        // Dropped readers are removed when they are the greater part.
        if channel.readers.len() > 2 * channel.bell.receiver_count() {
            channel.readers.retain(|reader| reader.strong_count() > 0);
        }
        channel.readers.push(Arc::downgrade(&reader));
        let (closings, bell) = (channel.closings, channel.bell.subscribe());
        let began = state.snapshot.revision;
        drop(state);
        Ok(Subscription::new(self.clone(), resource.clone(), (after, began), closings, bell, reader))
    }

    /// Drops the history before a revision: older versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        let mut state = self.state.lock();
        let revision = revision.min(state.snapshot.revision);
        state.forget(revision);
    }

    /// Returns the revision of the last commit.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Returns the objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<ObjectRef> {
        let dependents = self.state.lock().dependents.clone();
        dependents.of(uid)
    }

    /// Takes the events that were committed since the last call.
    pub fn take_outbox(&self) -> Vec<Arc<StoreEvent>> {
        self.state.lock().outbox.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops collecting events for [`ObjectStore::take_outbox`].
    pub fn without_outbox(self) -> Self {
        self.state.lock().outbox = None;
        self
    }

    /// Returns the remembered events of a resource, oldest first.
    pub fn history(&self, resource: &Resource) -> Vec<Arc<StoreEvent>> {
        let state = self.state.lock();
        let channel = state.channels.get(resource);
        channel.and_then(|channel| channel.history.after(channel.history.forgotten())).into_iter().flatten().cloned().collect()
    }

    /// Returns the approximate total size of the older events of all resources, in bytes.
    pub fn history_bytes(&self) -> usize {
        self.state.lock().channels.values().map(|channel| channel.history.bytes()).sum()
    }

    /// Returns the remembered events of all resources after one revision and up to another, in order.
    pub fn history_between(&self, after: u64, up_to: u64) -> Vec<Arc<StoreEvent>> {
        let state = self.state.lock();
        let known = state.channels.values().filter_map(|channel| channel.history.after(after.max(channel.history.forgotten())));
        let mut events: Vec<_> = known.flatten().filter(|event| event.revision <= up_to).cloned().collect();
        events.sort_by_key(|event| event.revision);
        events
    }

    /// Ends all subscriptions of a resource, after the delivery of earlier commits (SWATCH-16).
    pub fn close(&self, resource: &Resource) {
        if let Some(channel) = self.state.lock().channels.get_mut(resource) {
            channel.close();
        }
    }

    /// Ends all subscriptions and drops the history, as a new process does (SWATCH-14).
    pub fn restart(&self) {
        let mut state = self.state.lock();
        let revision = state.snapshot.revision;
        state.forget(revision);
        state.channels.values_mut().for_each(Channel::close);
    }

    /// Returns the number of open subscriptions of a resource.
    pub fn subscribers(&self, resource: &Resource) -> usize {
        self.state.lock().channels.get(resource).map_or(0, |channel| channel.bell.receiver_count())
    }

    /// Returns the resources with subscribers that have not processed all events yet, and the number of these subscribers.
    pub fn busy(&self) -> Vec<(Resource, usize)> {
        let state = self.state.lock();
        let behind = |channel: &Channel| {
            let last = channel.history.last();
            channel.readers.iter().filter_map(Weak::upgrade).filter(|reader| reader.is_behind(last)).count()
        };
        let busy = state.channels.iter().map(|(resource, channel)| (resource.clone(), behind(channel)));
        let mut busy: Vec<_> = busy.filter(|(_, count)| *count > 0).collect();
        busy.sort();
        busy
    }

    /// Makes the next commit fail, once, as if the disk had failed (FLT-7).
    pub fn fail_next_commit(&self) {
        self.fails.store(true, Ordering::Release);
    }
}

impl StoreContents {
    fn new(snapshot: Snapshot, dependents: Dependents, outbox: Option<Vec<Arc<StoreEvent>>>) -> Self {
        let compacted = snapshot.revision;
        Self { snapshot, compacted, channels: HashMap::new(), dependents, outbox, warm: VecDeque::new() }
    }

    fn oldest(&self, resource: &Resource) -> u64 {
        self.channels.get(resource).map_or(self.compacted, |channel| channel.history.forgotten())
    }

    fn forget(&mut self, revision: u64) {
        self.compacted = self.compacted.max(revision);
        for channel in self.channels.values_mut() {
            channel.history.compact(revision);
        }
    }

    fn channel(&mut self, resource: &Resource, window: usize) -> &mut Channel {
        let compacted = self.compacted;
        self.channels.entry(resource.clone()).or_insert_with(|| Channel {
            history: EventHistory::new(window, compacted),
            closings: 0,
            bell: Arc::new(watch::Sender::new(())),
            readers: Vec::new(),
        })
    }

    /// Applies a change; the bells of affected subscribers are added to `bells`.
    fn apply(&mut self, change: StoreChange, window: usize, bells: &mut Vec<Arc<watch::Sender<()>>>) -> Option<Arc<StoreEvent>> {
        let StoreChange { object, content, .. } = change;
        let revision = self.snapshot.revision + 1;
        let current = content.map(|value| Arc::new(Stored::new(value, revision)));
        let previous = self.snapshot.put(&object.resource, &object.name, current.clone());
        if previous.is_none() && current.is_none() {
            return None;
        }
        self.snapshot.revision = revision;
        self.snapshot.claims.update(&object, previous.as_deref(), current.as_deref());
        self.dependents.update(&object, previous.as_deref(), current.as_deref());
        let event = Arc::new(StoreEvent::new(revision, object, previous, current));
        let channel = self.channel(&event.object.resource, window);
        let number = channel.history.push(event.clone());
        if channel.bell.receiver_count() > 0 && bells.iter().all(|bell| !Arc::ptr_eq(bell, &channel.bell)) {
            bells.push(channel.bell.clone());
        }
        if let Some(outbox) = &mut self.outbox {
            outbox.push(event.clone());
        }
        self.warm.push_back((event.clone(), number));
        Some(event)
    }

    /// Turns older writes into text only, and returns their previous form.
    fn cool(&mut self) -> Vec<Arc<StoreEvent>> {
        let excess = self.warm.len().saturating_sub(WARM);
        let mut cooled = Vec::with_capacity(excess);
        for (event, number) in self.warm.drain(..excess) {
            let cold = Arc::new(event.cold());
            let ObjectRef { resource, name } = &event.object;
            let present = self.snapshot.get(resource, name).filter(|stored| stored.revision() == event.revision);
            if present.is_some() {
                self.snapshot.put(resource, name, cold.current.clone());
            }
            if let Some(channel) = self.channels.get_mut(resource) {
                channel.history.cool(number, cold);
            }
            cooled.push(event);
        }
        cooled
    }

    /// Drops the oldest events until the older ones are within the limit, and adds them to `dropped`.
    fn trim(&mut self, limit: usize, dropped: &mut Vec<Arc<StoreEvent>>) {
        let mut bytes: usize = self.channels.values().map(|channel| channel.history.bytes()).sum();
        while bytes > limit {
            let oldest = self.channels.values_mut().filter_map(|channel| Some((channel.history.oldest_cold()?, channel)));
            let Some((_, channel)) = oldest.min_by_key(|(revision, _)| *revision) else { return };
            bytes -= channel.history.bytes();
            dropped.extend(channel.history.drop_oldest());
            bytes += channel.history.bytes();
        }
    }
}

impl Channel {
    fn close(&mut self) {
        self.closings += 1;
        self.bell.send_replace(());
    }
}
