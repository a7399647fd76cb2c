//! The store itself: one lock, held for the moment of a commit or of taking a snapshot.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::{Change, CommitError, Event, Expect, ObjectRef, Resource, Snapshot, Stored, history::History};

/// The objects of one server, their latest history, and who waits for changes.
#[derive(Debug)]
pub struct Store {
    state: Mutex<State>,
    window: usize,
}

#[derive(Debug)]
struct State {
    snapshot: Snapshot,
    /// Everything up to this revision is forgotten in every resource.
    compacted: u64,
    channels: HashMap<Resource, Channel>,
    /// Objects by the uid of an owner.
    dependents: HashMap<String, BTreeSet<ObjectRef>>,
    /// Events that the controllers have not taken yet; `None` when nobody takes them.
    outbox: Option<Vec<Arc<Event>>>,
}

/// History of a resource and the bell for those who wait for more.
#[derive(Debug)]
struct Channel {
    history: History,
    /// Counts how often all subscriptions were ended.
    closings: u64,
    bell: watch::Sender<()>,
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

impl Store {
    /// An empty store that remembers `window` events per resource.
    pub fn new(window: usize) -> Self {
        let state = State {
            snapshot: Snapshot::empty(0),
            compacted: 0,
            channels: HashMap::new(),
            dependents: HashMap::new(),
            outbox: Some(Vec::new()),
        };
        Self { state: Mutex::new(state), window }
    }

    /// The present content.
    pub fn snapshot(&self) -> Snapshot {
        self.state.lock().snapshot.clone()
    }

    /// The revision of the last commit.
    pub fn revision(&self) -> u64 {
        self.state.lock().snapshot.revision
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
        Ok(changes.into_iter().filter_map(|change| state.apply(change, self.window)).collect())
    }

    /// Objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<ObjectRef> {
        self.state.lock().dependents.get(uid).map(|found| found.iter().cloned().collect()).unwrap_or_default()
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

    /// Follows a resource from a revision on.
    pub fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Subscription, Compacted> {
        let mut state = self.state.lock();
        let oldest = state.oldest(resource);
        if after < oldest {
            return Err(Compacted { asked: after, oldest });
        }
        let channel = state.channel(resource, self.window);
        let (closings, bell) = (channel.closings, channel.bell.subscribe());
        Ok(Subscription { store: self.clone(), resource: resource.clone(), cursor: after, closings, bell })
    }

    /// Forgets everything older than a revision: older versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        let mut state = self.state.lock();
        let revision = revision.min(state.snapshot.revision);
        state.compacted = state.compacted.max(revision);
        for channel in state.channels.values_mut() {
            channel.history.compact(revision);
        }
    }

    /// Ends the subscriptions of a resource, after they have got all events so far (WATCH-16).
    pub fn close(&self, resource: &Resource) {
        if let Some(channel) = self.state.lock().channels.get_mut(resource) {
            channel.close();
        }
    }

    /// Ends all subscriptions and forgets the history, as a new process would (WATCH-14).
    pub fn restart(&self) {
        let mut state = self.state.lock();
        let revision = state.snapshot.revision;
        state.compacted = revision;
        for channel in state.channels.values_mut() {
            channel.history.compact(revision);
            channel.close();
        }
    }

    /// How many subscriptions of a resource are open.
    pub fn subscribers(&self, resource: &Resource) -> usize {
        self.state.lock().channels.get(resource).map_or(0, |channel| channel.bell.receiver_count())
    }
}

impl State {
    fn oldest(&self, resource: &Resource) -> u64 {
        self.channels.get(resource).map_or(self.compacted, |channel| channel.history.forgotten())
    }

    fn channel(&mut self, resource: &Resource, window: usize) -> &mut Channel {
        let compacted = self.compacted;
        self.channels.entry(resource.clone()).or_insert_with(|| Channel {
            history: History::new(window, compacted),
            closings: 0,
            bell: watch::Sender::new(()),
        })
    }

    fn apply(&mut self, change: Change, window: usize) -> Option<Arc<Event>> {
        let Change { object, content, .. } = change;
        let previous = self.snapshot.get(&object.resource, &object.name).cloned();
        if previous.is_none() && content.is_none() {
            return None;
        }
        let revision = self.snapshot.revision + 1;
        let current = content.map(|value| Arc::new(Stored::new(value, revision)));
        self.snapshot.revision = revision;
        self.snapshot.put(&object.resource, &object.name, current.clone());
        self.index(&object, previous.as_deref(), current.as_deref());
        let event = Arc::new(Event::new(revision, object, previous, current));
        let channel = self.channel(&event.object.resource, window);
        channel.history.push(event.clone());
        channel.bell.send_replace(());
        if let Some(outbox) = &mut self.outbox {
            outbox.push(event.clone());
        }
        Some(event)
    }

    fn index(&mut self, object: &ObjectRef, previous: Option<&Stored>, current: Option<&Stored>) {
        let (before, after) = (owner_uids(previous), owner_uids(current));
        for uid in before.difference(&after) {
            if let Some(dependents) = self.dependents.get_mut(*uid) {
                dependents.remove(object);
                if dependents.is_empty() {
                    self.dependents.remove(*uid);
                }
            }
        }
        for uid in after.difference(&before) {
            self.dependents.entry((*uid).to_owned()).or_default().insert(object.clone());
        }
    }
}

impl Channel {
    fn close(&mut self) {
        self.closings += 1;
        self.bell.send_replace(());
    }
}

fn owner_uids(stored: Option<&Stored>) -> BTreeSet<&str> {
    stored
        .and_then(|stored| stored.value().pointer("/metadata/ownerReferences"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|reference| reference.get("uid")?.as_str())
        .collect()
}

/// Somebody who follows the changes of one resource. Dropping it is all it takes to stop.
#[derive(Debug)]
pub struct Subscription {
    store: Arc<Store>,
    resource: Resource,
    cursor: u64,
    closings: u64,
    bell: watch::Receiver<()>,
}

/// What a subscriber finds when it looks.
#[derive(Debug)]
pub enum Progress {
    /// Events after those seen before.
    Events(Vec<Arc<Event>>),
    /// Nothing new; the store is at this revision.
    Idle(u64),
    /// The subscription was ended by the server.
    Closed,
    /// The subscriber was too slow: events that it has not seen are forgotten.
    Lost,
}

impl Subscription {
    /// Looks for events without waiting.
    pub fn poll(&mut self) -> Progress {
        let state = self.store.state.lock();
        let revision = state.snapshot.revision;
        let Some(channel) = state.channels.get(&self.resource) else { return Progress::Closed };
        let Some(events) = channel.history.after(self.cursor) else {
            return if channel.closings == self.closings { Progress::Lost } else { Progress::Closed };
        };
        let events: Vec<_> = events.cloned().collect();
        if let Some(last) = events.last() {
            self.cursor = last.revision;
            Progress::Events(events)
        } else if channel.closings == self.closings {
            // A watch from a future version stays silent until the store has passed it (WATCH-5).
            self.cursor = self.cursor.max(revision);
            Progress::Idle(self.cursor)
        } else {
            Progress::Closed
        }
    }

    /// Waits until [`Subscription::poll`] may find something else than idleness.
    pub async fn wait(&mut self) {
        // The sender lives in the store, which this subscription holds.
        let _ = self.bell.changed().await;
    }
}
