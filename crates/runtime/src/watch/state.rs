use std::cmp::Ordering;
use std::time::Duration;

use indexmap::IndexMap;
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;

use super::key_ref::KeyRef;
use super::objects::{IndexedObjects, SeenObject};
use super::version::{ResourceVersion, Uid};
use super::{Cause, Project};

/// The time for which an own write outranks events if versions cannot be ordered.
const TEXT_FLOOR: Duration = Duration::from_secs(30);

/// The state of a store, with the rules that merge lists, events and own writes into one sequence of changes.
///
/// An own write is a lower bound: older states are ignored. `observed` is the opposite bound: all states up to this version have been reported, so an answer
/// that comes later than its own event is outdated, even if the object was deleted in between. A list outranks all writes from before it began, even those
/// with higher versions, because a server may have been restored from a backup.
pub(super) struct StoreState<P> {
    pub(super) objects: IndexedObjects<P>,
    /// The own deletions that the watch has not shown yet.
    gone: IndexMap<Key, Gone>,
    /// The moments until which own writes with versions that have no order outrank events.
    text_floors: IndexMap<Key, Moment>,
    /// The number of the latest list.
    round: u32,
    observed: Option<ResourceVersion>,
    synced: bool,
}

/// An object that this process deleted, or moved out of the scope of the watch.
struct Gone {
    uid: Uid,
    /// The version up to which states of any object of this name are outdated.
    version: ResourceVersion,
    /// True if the object was deleted, so that its UID does not appear again.
    deleted: bool,
    recorded: u32,
}

impl<P: Send + Sync + 'static> StoreState<P> {
    pub(super) fn new() -> Self {
        Self {
            objects: IndexedObjects::new(),
            gone: IndexMap::new(),
            text_floors: IndexMap::new(),
            round: 0,
            observed: None,
            synced: false,
        }
    }

    pub(super) fn synced(&self) -> bool {
        self.synced
    }

    /// Returns true if this state of an object would change the store.
    pub(super) fn is_news(&self, seen: &SeenObject<'_>, now: Moment) -> bool {
        if self.is_of_the_gone(seen) {
            return false;
        }
        let Some(entry) = self.objects.entry(seen.key) else {
            return true;
        };
        match seen.version.order(&entry.version) {
            Some(order) => order.is_gt(),
            None if entry.uid == seen.uid => entry.version != seen.version && !self.stands(seen.key, now),
            None => true,
        }
    }

    /// Applies an object of an ADDED or MODIFIED event.
    pub(super) fn changed(&mut self, projector: &dyn Project<Output = P>, seen: SeenObject<'_>, projection: P, now: Moment) {
        self.observe(&seen.version);
        if self.is_news(&seen, now) {
            self.gone.swap_remove(&seen.key);
            self.put(projector, seen, projection, Cause::Event);
        }
    }

    /// Records the progress of an event that did not change the store.
    pub(super) fn old_news(&mut self, seen: &SeenObject<'_>) {
        self.observe(&seen.version);
        let confirmed = self.objects.entry(seen.key).is_some_and(|entry| entry.version == seen.version);
        if confirmed && !self.text_floors.is_empty() {
            self.text_floors.swap_remove(&seen.key);
        }
    }

    /// Applies a DELETED event.
    pub(super) fn deleted(&mut self, projector: &dyn Project<Output = P>, seen: &SeenObject<'_>, now: Moment) {
        self.observe(&seen.version);
        if self.gone.get(&seen.key).is_some_and(|gone| gone.uid == seen.uid) {
            self.gone.swap_remove(&seen.key);
        }
        let Some(entry) = self.objects.entry(seen.key) else {
            return;
        };
        let gone = entry.uid == seen.uid
            || match seen.version.order(&entry.version) {
                Some(order) => order.is_gt(),
                None => !self.stands(seen.key, now),
            };
        if gone {
            self.take(projector, seen.key, Cause::Event);
        }
    }

    /// Records that the server has sent all events up to this version.
    pub(super) fn bookmark(&mut self, version: &ResourceVersion) {
        self.observe(version);
    }

    pub(super) fn begin_list(&mut self) {
        self.round += 1;
    }

    /// Returns true if this item of the current list would change the store. Marks it as listed.
    pub(super) fn list_is_news(&mut self, seen: &SeenObject<'_>, now: Moment) -> bool {
        let buried = self.gone.get(&seen.key).map(|gone| gone.recorded == self.round);
        // An object that was deleted while the list was under way may still be in the list.
        if buried == Some(true) && self.is_of_the_gone(seen) {
            return false;
        }
        if buried.is_some() {
            self.gone.swap_remove(&seen.key);
        }
        let round = self.round;
        let Some(entry) = self.objects.entry_mut(seen.key) else {
            return true;
        };
        entry.listed = round;
        if entry.recorded == round {
            return self.is_news(seen, now);
        }
        entry.uid != seen.uid || entry.version != seen.version
    }

    /// Applies an item of the current list that changes the store.
    pub(super) fn listed(&mut self, projector: &dyn Project<Output = P>, seen: SeenObject<'_>, projection: P, now: Moment) {
        // An own write may have been recorded while the item was being projected.
        if self.list_is_news(&seen, now) {
            // If the first list shows a change of an own write, its cause is not `Initial`: the writer must be notified of the change.
            let is_initial = !self.synced && self.objects.entry(seen.key).is_none();
            let cause = if is_initial { Cause::Initial } else { Cause::Event };
            self.put(projector, seen, projection, cause);
        }
    }

    /// Completes the current list: removes the objects that it did not contain.
    pub(super) fn end_list(&mut self, projector: &dyn Project<Output = P>, version: &ResourceVersion) {
        let round = self.round;
        let gone = self.objects.keys_of(|entry| {
            let written_since = entry.recorded == round && entry.version.order(version) == Some(Ordering::Greater);
            entry.listed != round && !written_since
        });
        for key in gone {
            self.take(projector, KeyRef::from(&key), Cause::Event);
        }
        self.gone.retain(|_, gone| gone.recorded == round);
        self.text_floors.clear();
        self.observed = Some(version.clone());
        self.synced = true;
    }

    /// Removes all objects, because the server no longer has the type.
    pub(super) fn clear(&mut self, projector: &dyn Project<Output = P>) {
        for key in self.objects.keys_of(|_| true) {
            self.take(projector, KeyRef::from(&key), Cause::Event);
        }
        self.gone.clear();
        self.observed = None;
    }

    /// Returns true if the answer to an own write can still change the store.
    pub(super) fn takes_record(&self, seen: &SeenObject<'_>) -> bool {
        let told = self.observed.as_ref().filter(|_| self.synced).and_then(|observed| seen.version.order(observed));
        let older = self.objects.entry(seen.key).is_some_and(|entry| match seen.version.order(&entry.version) {
            Some(order) => order.is_le(),
            None => entry.version == seen.version,
        });
        !told.is_some_and(Ordering::is_le) && !older && !self.is_of_the_gone(seen)
    }

    /// Records the answer to a write of this process.
    pub(super) fn record(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: SeenObject<'_>,
        projection: P,
        cause: Cause,
        now: Moment,
    ) {
        if !self.takes_record(&seen) {
            return;
        }
        self.gone.swap_remove(&seen.key);
        let opaque = seen.version.is_text();
        // A list that is under way may not contain the object: the mark as own write protects it.
        let (key, entry) = self.objects.put(projector, seen, projection, cause);
        entry.recorded = self.round;
        if opaque {
            self.text_floors.insert(key, now + TEXT_FLOOR);
        }
    }

    /// Returns true if the store has exactly this state.
    pub(super) fn holds(&self, seen: &SeenObject<'_>) -> bool {
        self.objects.entry(seen.key).is_some_and(|entry| entry.uid == seen.uid && entry.version == seen.version)
    }

    /// Projects the state that the store has again.
    pub(super) fn reproject(&mut self, projector: &dyn Project<Output = P>, seen: SeenObject<'_>, projection: P) {
        if self.holds(&seen) {
            self.objects.put(projector, seen, projection, Cause::OwnWrite);
        }
    }

    /// Returns true if the store's state of the object is newer than that of the watch, because of an own write or deletion that the watch has not confirmed
    /// yet.
    pub(super) fn is_ahead(&self, key: KeyRef<'_>) -> bool {
        let Some(entry) = self.objects.entry(key) else { return self.gone.contains_key(&key) };
        match self.observed.as_ref().and_then(|observed| entry.version.order(observed)) {
            Some(order) => order.is_gt(),
            None => self.text_floors.contains_key(&key),
        }
    }

    /// Records that an own write moved the object out of the scope of the watch.
    pub(super) fn record_left(&mut self, projector: &dyn Project<Output = P>, seen: SeenObject<'_>, cause: Cause) {
        let known = self.objects.entry(seen.key).is_some_and(|entry| entry.uid == seen.uid);
        if known && self.takes_record(&seen) {
            self.bury(projector, seen.key, Some(seen.version), cause);
        }
    }

    /// Removes an object that the server reports as gone.
    pub(super) fn record_delete(&mut self, projector: &dyn Project<Output = P>, key: KeyRef<'_>, uid: &str, cause: Cause) {
        let uid = Uid::parse(uid);
        if self.objects.entry(key).is_some_and(|entry| entry.uid == uid) {
            self.bury(projector, key, None, cause);
        }
    }

    /// Removes an object and remembers it as gone. `left` is the version with which it left the scope; None means that it was deleted.
    fn bury(&mut self, projector: &dyn Project<Output = P>, key: KeyRef<'_>, left: Option<ResourceVersion>, cause: Cause) {
        let recorded = self.round;
        if let Some((key, uid, version)) = self.take(projector, key, cause) {
            let deleted = left.is_none();
            self.gone.insert(key, Gone { uid, version: left.unwrap_or(version), deleted, recorded });
        }
    }

    fn put(&mut self, projector: &dyn Project<Output = P>, seen: SeenObject<'_>, projection: P, cause: Cause) {
        if !self.text_floors.is_empty() {
            self.text_floors.swap_remove(&seen.key);
        }
        self.objects.put(projector, seen, projection, cause).1.listed = self.round;
    }

    fn take(
        &mut self,
        projector: &dyn Project<Output = P>,
        key: KeyRef<'_>,
        cause: Cause,
    ) -> Option<(Key, Uid, ResourceVersion)> {
        if !self.text_floors.is_empty() {
            self.text_floors.swap_remove(&key);
        }
        self.objects.take(projector, key, cause)
    }

    /// Returns true if the state is from before this process deleted the object, or belongs to an earlier object of the same name.
    fn is_of_the_gone(&self, seen: &SeenObject<'_>) -> bool {
        self.gone.get(&seen.key).is_some_and(|gone| {
            let same = gone.uid == seen.uid;
            match seen.version.order(&gone.version) {
                _ if same && gone.deleted => true,
                Some(order) => order.is_le(),
                None => same,
            }
        })
    }

    fn observe(&mut self, version: &ResourceVersion) {
        let back = self.observed.as_ref().is_some_and(|observed| version.order(observed) == Some(Ordering::Less));
        if !back {
            self.observed = Some(version.clone());
        }
    }

    /// Returns true if an own write whose version has no order still outranks events.
    fn stands(&self, key: KeyRef<'_>, now: Moment) -> bool {
        self.text_floors.get(&key).is_some_and(|until| now < *until)
    }
}
