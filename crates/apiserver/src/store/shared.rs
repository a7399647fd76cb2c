//! The store itself: one lock, held for the moment of a commit or of taking a snapshot.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::{
    Change, CommitError, Event, Expect, ObjectName, ObjectRef, Resource, Snapshot, Storage, Stored, Subscription,
    dependents::Dependents, history::History, subscription::Reader,
};

/// How many of the latest objects are kept as values; older ones are text until somebody looks into them.
const WARM: usize = 512;
/// Bytes that the older events of all resources may take together unless said otherwise.
pub(crate) const HISTORY_BYTES: usize = 16 * 1024 * 1024;

/// The objects of one server, their latest history, and who waits for changes.
#[derive(Debug)]
pub struct Store {
    pub(super) state: Mutex<State>,
    window: usize,
    /// How many events may wait for a subscriber.
    pub(super) queue: usize,
    /// Bytes that the older events of all resources may take together.
    bytes: usize,
    /// The revision of the last commit, for those who want nothing else.
    revision: AtomicU64,
    fails: AtomicBool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) snapshot: Snapshot,
    /// Everything up to this revision is forgotten in every resource.
    compacted: u64,
    pub(super) channels: HashMap<Resource, Channel>,
    dependents: Dependents,
    /// Events that the controllers have not taken yet; `None` when nobody takes them.
    outbox: Option<Vec<Arc<Event>>>,
    /// What was written last, and not turned into text yet, with its number in the history.
    warm: VecDeque<(Arc<Event>, u64)>,
}

/// History of a resource and the bell for those who wait for more.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) history: History,
    /// Counts how often all subscriptions were ended.
    pub(super) closings: u64,
    bell: Arc<watch::Sender<()>>,
    readers: Vec<Weak<Reader>>,
}

/// The version that was asked for is no longer known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read revision {asked}: everything before {oldest} is forgotten")]
pub struct Compacted {
    /// What was asked for.
    pub asked: u64,
    /// The oldest revision that is still known.
    pub oldest: u64,
}

/// The whole content of a store at one moment, to go back to.
#[derive(Clone, Debug)]
pub struct Saved {
    snapshot: Snapshot,
    dependents: Dependents,
    /// What controllers had not seen yet.
    outbox: Option<Vec<Arc<Event>>>,
}

impl Store {
    /// An empty store that remembers `window` events per resource.
    pub fn new(window: usize) -> Self {
        Self::from_state(State::new(Snapshot::empty(0), Dependents::new(), Some(Vec::new())), window, window)
    }

    /// Ends a subscription for which more than `queue` events wait.
    pub fn with_queue(mut self, queue: usize) -> Self {
        self.queue = queue.max(1);
        self
    }

    /// Forgets the oldest events of all resources when those that are not recent take more than this together. Default: 16 MiB.
    pub fn with_history_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    fn from_state(state: State, window: usize, queue: usize) -> Self {
        let revision = AtomicU64::new(state.snapshot.revision);
        Self { state: Mutex::new(state), window, queue, bytes: HISTORY_BYTES, revision, fails: AtomicBool::new(false) }
    }

    /// A store of its own with the same content (FRK-1). It costs the same whatever there is: the content is shared until it differs. What
    /// happened before is forgotten in it.
    pub fn fork(&self) -> Self {
        let state = self.state.lock();
        let fork = State::new(state.snapshot.clone(), state.dependents.clone(), state.outbox.clone());
        Self::from_state(fork, self.window, self.queue).with_history_bytes(self.bytes)
    }

    /// The content as it is now, for [`Store::restore`].
    pub fn save(&self) -> Saved {
        let state = self.state.lock();
        Saved { snapshot: state.snapshot.clone(), dependents: state.dependents.clone(), outbox: state.outbox.clone() }
    }

    /// Goes back to an earlier content (FRK-3). Revisions are not used twice: the content is that of before under a new revision. All
    /// subscriptions end, and what happened before is forgotten.
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

    /// The present content.
    pub fn snapshot(&self) -> Snapshot {
        self.state.lock().snapshot.clone()
    }

    /// The content of one resource as it was at an older revision; the other resources of the snapshot are empty.
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

    /// Makes all changes or none, each with a revision of its own, and returns the events in order.
    pub fn commit(&self, changes: Vec<Change>) -> Result<Vec<Arc<Event>>, CommitError> {
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
        // Those who are woken look here at once, and what nobody needs any more is taken apart when others may write again.
        drop(state);
        for bell in &bells {
            bell.send_replace(());
        }
        drop(cooled);
        Ok(events)
    }

    /// One object as it is now.
    pub fn get(&self, resource: &Resource, name: &ObjectName) -> Option<Arc<Stored>> {
        self.state.lock().snapshot.get(resource, name).cloned()
    }

    /// Follows a resource from a revision on.
    pub fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Subscription, Compacted> {
        let mut state = self.state.lock();
        let oldest = state.oldest(resource);
        if after < oldest {
            return Err(Compacted { asked: after, oldest });
        }
        let channel = state.channel(resource, self.window);
        let reader = Arc::new(Reader::default());
        // Those who left are struck off when they are the greater part.
        if channel.readers.len() > 2 * channel.bell.receiver_count() {
            channel.readers.retain(|reader| reader.strong_count() > 0);
        }
        channel.readers.push(Arc::downgrade(&reader));
        let (closings, bell) = (channel.closings, channel.bell.subscribe());
        let began = state.snapshot.revision;
        drop(state);
        Ok(Subscription::new(self.clone(), resource.clone(), (after, began), closings, bell, reader))
    }

    /// Forgets everything older than a revision: older versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        let mut state = self.state.lock();
        let revision = revision.min(state.snapshot.revision);
        state.forget(revision);
    }

    /// The revision of the last commit.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<ObjectRef> {
        let dependents = self.state.lock().dependents.clone();
        dependents.of(uid)
    }

    /// Hands out the events that were committed since the last call.
    pub fn take_outbox(&self) -> Vec<Arc<Event>> {
        self.state.lock().outbox.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops collecting events for [`Store::take_outbox`].
    pub fn without_outbox(self) -> Self {
        self.state.lock().outbox = None;
        self
    }

    /// The remembered events of a resource, oldest first.
    pub fn history(&self, resource: &Resource) -> Vec<Arc<Event>> {
        let state = self.state.lock();
        let channel = state.channels.get(resource);
        channel.and_then(|channel| channel.history.after(channel.history.forgotten())).into_iter().flatten().cloned().collect()
    }

    /// Bytes that the older events of all resources take together, about.
    pub fn history_bytes(&self) -> usize {
        self.state.lock().channels.values().map(|channel| channel.history.bytes()).sum()
    }

    /// The remembered events of all resources after one revision and up to another, in order.
    pub fn history_between(&self, after: u64, up_to: u64) -> Vec<Arc<Event>> {
        let state = self.state.lock();
        let known = state.channels.values().filter_map(|channel| channel.history.after(after.max(channel.history.forgotten())));
        let mut events: Vec<_> = known.flatten().filter(|event| event.revision <= up_to).cloned().collect();
        events.sort_by_key(|event| event.revision);
        events
    }

    /// Ends all subscriptions of a resource, after what was committed before (SWATCH-16).
    pub fn close(&self, resource: &Resource) {
        if let Some(channel) = self.state.lock().channels.get_mut(resource) {
            channel.close();
        }
    }

    /// Ends all subscriptions and forgets the history, as a new process would (SWATCH-14).
    pub fn restart(&self) {
        let mut state = self.state.lock();
        let revision = state.snapshot.revision;
        state.forget(revision);
        state.channels.values_mut().for_each(Channel::close);
    }

    /// How many subscriptions of a resource are open.
    pub fn subscribers(&self, resource: &Resource) -> usize {
        self.state.lock().channels.get(resource).map_or(0, |channel| channel.bell.receiver_count())
    }

    /// Resources with subscribers that have not worked on everything yet, and how many those are.
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

    /// Lets the next commit fail as if the disk did, once (FLT-7).
    pub fn fail_next_commit(&self) {
        self.fails.store(true, Ordering::Release);
    }
}

impl Storage for Store {
    type Subscription = Subscription;

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    fn snapshot_at(&self, resource: &Resource, revision: u64) -> Result<Snapshot, Compacted> {
        self.snapshot_at(resource, revision)
    }

    fn commit(&self, changes: Vec<Change>) -> Result<Vec<Arc<Event>>, CommitError> {
        self.commit(changes)
    }

    fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Subscription, Compacted> {
        Self::subscribe(self, resource, after)
    }

    fn compact(&self, revision: u64) {
        self.compact(revision);
    }

    fn revision(&self) -> u64 {
        self.revision()
    }

    fn get(&self, resource: &Resource, name: &ObjectName) -> Option<Arc<Stored>> {
        self.get(resource, name)
    }
}

impl State {
    fn new(snapshot: Snapshot, dependents: Dependents, outbox: Option<Vec<Arc<Event>>>) -> Self {
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
            history: History::new(window, compacted),
            closings: 0,
            bell: Arc::new(watch::Sender::new(())),
            readers: Vec::new(),
        })
    }

    /// Makes a change; `bells` are those that are to be rung for it.
    fn apply(&mut self, change: Change, window: usize, bells: &mut Vec<Arc<watch::Sender<()>>>) -> Option<Arc<Event>> {
        let Change { object, content, .. } = change;
        let revision = self.snapshot.revision + 1;
        let current = content.map(|value| Arc::new(Stored::new(value, revision)));
        let previous = self.snapshot.put(&object.resource, &object.name, current.clone());
        if previous.is_none() && current.is_none() {
            return None;
        }
        self.snapshot.revision = revision;
        self.snapshot.claims.update(&object, previous.as_deref(), current.as_deref());
        self.dependents.update(&object, previous.as_deref(), current.as_deref());
        let event = Arc::new(Event::new(revision, object, previous, current));
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

    /// Keeps what was written some time ago as text alone; returns what it was.
    fn cool(&mut self) -> Vec<Arc<Event>> {
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

    /// Forgets the oldest events until the older ones take no more than this; adds them to `dropped`.
    fn trim(&mut self, limit: usize, dropped: &mut Vec<Arc<Event>>) {
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
