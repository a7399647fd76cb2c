use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use kubewright_core::hash::fnv1a;
use kubewright_machinery::object::Key;
use serde_json::Value;
use tokio::sync::mpsc;

use super::index::{IndexEntry, Positions, StoreIndexes, index_entries};
use super::key_ref::KeyRef;
use super::version::{ResourceVersion, Uid};
use super::{Cause, Change, Project};

/// The number of objects that are visited before the watch gets its turn.
const PORTION: usize = 1024;

/// The objects of a store with their indexes, and the subscribers to their changes.
pub(super) struct IndexedObjects<P> {
    entries: IndexMap<Key, Entry<P>>,
    indexes: StoreIndexes,
    namespaces: HashSet<Arc<str>>,
    subscribers: Vec<mpsc::UnboundedSender<Change<P>>>,
}

pub(super) struct Entry<P> {
    projection: Arc<P>,
    pub(super) uid: Uid,
    pub(super) version: ResourceVersion,
    /// The latest list that contained the object.
    pub(super) listed: u32,
    /// The latest list before the last own write of the object.
    pub(super) recorded: u32,
    /// The positions of the key in the indexes.
    positions: Positions,
}

impl<P> Entry<P> {
    /// Returns a number that identifies this state of the object. Stores with different projections, and in different processes, agree on it.
    fn checksum(&self, key: &Key) -> u64 {
        let version = self.version.text();
        // Only the UID may contain a zero byte, and it has a fixed length then.
        let parts = [key.namespace().as_bytes(), &[0], key.name().as_bytes(), &[0], self.uid.bytes(), &[0], version.as_bytes()];
        fnv1a(&parts)
    }
}

/// The key, UID and version by which a state of an object is judged.
pub(super) struct SeenObject<'a> {
    pub(super) key: KeyRef<'a>,
    pub(super) uid: Uid,
    pub(super) version: ResourceVersion,
}

impl<'a> SeenObject<'a> {
    /// Returns None if the object has no name or version.
    pub(super) fn of(object: &'a Value) -> Option<Self> {
        let metadata = object.get("metadata")?;
        let text = |key| metadata.get(key).and_then(Value::as_str);
        Some(Self {
            key: KeyRef { namespace: text("namespace").unwrap_or_default(), name: text("name")? },
            uid: Uid::parse(text("uid").unwrap_or_default()),
            version: ResourceVersion::parse(text("resourceVersion")?),
        })
    }
}

impl<P: Send + Sync + 'static> IndexedObjects<P> {
    pub(super) fn new() -> Self {
        Self { entries: IndexMap::new(), indexes: StoreIndexes::default(), namespaces: HashSet::new(), subscribers: Vec::new() }
    }

    pub(super) fn projection(&self, key: KeyRef<'_>) -> Option<&Arc<P>> {
        self.entries.get(&key).map(|entry| &entry.projection)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Arc<P>)> {
        self.entries.iter().map(|(key, entry)| (key, &entry.projection))
    }

    /// Returns the portion of objects that ends before `end`, with the position of its first object. An object that leaves the store is replaced by the last
    /// one, so portions from the end to the beginning miss no object that is present all the time.
    pub(super) fn portion_before(&self, end: usize) -> (usize, Vec<(Key, Arc<P>)>) {
        let (start, entries) = self.range_before(end);
        (start, entries.map(|(key, entry)| (key.clone(), Arc::clone(&entry.projection))).collect())
    }

    /// Returns the checksum of the portion that ends before `end`, with the position of its first object. It is the sum of the checksums of the objects, so
    /// that neither their order nor the portions matter.
    pub(super) fn checksum_before(&self, end: usize) -> (usize, u64) {
        let (start, entries) = self.range_before(end);
        (start, entries.map(|(key, entry)| entry.checksum(key)).fold(0, u64::wrapping_add))
    }

    fn range_before(&self, end: usize) -> (usize, impl Iterator<Item = (&Key, &Entry<P>)>) {
        let end = end.min(self.entries.len());
        let start = end.saturating_sub(PORTION);
        (start, self.entries.get_range(start..end).into_iter().flatten())
    }

    pub(super) fn indexed(&self, index: &str, text: &str) -> impl Iterator<Item = (&Key, &Arc<P>)> {
        self.indexes.keys(index, text).iter().filter_map(|key| Some((key, &self.entries.get(key)?.projection)))
    }

    pub(super) fn count_indexed(&self, index: &str, text: &str) -> usize {
        self.indexes.keys(index, text).len()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, key: KeyRef<'_>) -> Option<&Entry<P>> {
        self.entries.get(&key)
    }

    pub(super) fn entry_mut(&mut self, key: KeyRef<'_>) -> Option<&mut Entry<P>> {
        self.entries.get_mut(&key)
    }

    /// Returns the keys of the entries that meet a condition.
    pub(super) fn keys_of(&self, wanted: impl Fn(&Entry<P>) -> bool) -> Vec<Key> {
        let wanted = self.entries.iter().filter(|(_, entry)| wanted(entry));
        wanted.map(|(key, _)| key.clone()).collect()
    }

    /// Adds a subscriber, which gets a change for each present object and then all changes from now on.
    pub(super) fn subscribe(&mut self, sender: mpsc::UnboundedSender<Change<P>>) {
        for (key, entry) in &self.entries {
            let new = Some(entry.projection.clone());
            let change = Change { key: key.clone(), old: None, new, cause: Cause::Initial };
            // The caller holds the receiver, so that sending cannot fail.
            drop(sender.send(change));
        }
        self.subscribers.push(sender);
    }

    /// Adds or replaces an object. An object with another UID is removed before its successor is added. The caller must set the marks of the returned entry.
    pub(super) fn put(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: SeenObject<'_>,
        projection: P,
        cause: Cause,
    ) -> (Key, &mut Entry<P>) {
        if self.entry(seen.key).is_some_and(|entry| entry.uid != seen.uid) {
            self.take(projector, seen.key, cause);
        }
        let projection = Arc::new(projection);
        let (key, at, old) = if let Some((at, key, entry)) = self.entries.get_full_mut(&seen.key) {
            entry.version = seen.version;
            let old = std::mem::replace(&mut entry.projection, projection.clone());
            (key.clone(), at, Some(old))
        } else {
            let key = self.key(seen.key);
            let entry = Entry {
                projection: projection.clone(),
                uid: seen.uid,
                version: seen.version,
                listed: 0,
                recorded: 0,
                positions: Positions::None,
            };
            let (at, _) = self.entries.insert_full(key.clone(), entry);
            (key, at, None)
        };
        let before = old.as_deref().map(|old| index_entries(projector, old)).unwrap_or_default();
        let now = index_entries(projector, &projection);
        if before != now {
            let positions = std::mem::take(&mut self.entries[at].positions);
            self.leave_indexes(projector, &before, &positions);
            self.entries[at].positions = self.indexes.join(&now, &key);
        }
        self.emit(&Change { key: key.clone(), old, new: Some(projection), cause });
        (key, &mut self.entries[at])
    }

    pub(super) fn take(
        &mut self,
        projector: &dyn Project<Output = P>,
        key: KeyRef<'_>,
        cause: Cause,
    ) -> Option<(Key, Uid, ResourceVersion)> {
        let (key, entry) = self.entries.swap_remove_entry(&key)?;
        self.leave_indexes(projector, &index_entries(projector, &entry.projection), &entry.positions);
        self.emit(&Change { key: key.clone(), old: Some(entry.projection), new: None, cause });
        Some((key, entry.uid, entry.version))
    }

    /// Removes a key from the indexes, and records the new positions of the keys that take its positions.
    fn leave_indexes(&mut self, projector: &dyn Project<Output = P>, before: &[IndexEntry<'_>], positions: &Positions) {
        let others = &mut self.entries;
        self.indexes.leave(before, positions, |key, entry, to| {
            if let Some(other) = others.get_mut(key) {
                let projection = Arc::clone(&other.projection);
                other.positions.moved(|| index_entries(projector, &projection), entry, to);
            }
        });
    }

    fn emit(&mut self, change: &Change<P>) {
        self.subscribers.retain(|subscriber| subscriber.send(change.clone()).is_ok());
    }

    fn key(&mut self, key: KeyRef<'_>) -> Key {
        let namespace = self.namespaces.get(key.namespace).cloned();
        let namespace = namespace.unwrap_or_else(|| {
            let namespace: Arc<str> = key.namespace.into();
            self.namespaces.insert(namespace.clone());
            namespace
        });
        Key::within(namespace, key.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::presence;

    fn seen(name: &str) -> SeenObject<'_> {
        SeenObject { key: KeyRef { namespace: "", name }, uid: Uid::parse(""), version: ResourceVersion::parse("1") }
    }

    #[test]
    fn portions_miss_no_object_that_stays_while_others_go() {
        let projector = presence();
        for step in [2, 3, 7] {
            let mut objects = IndexedObjects::new();
            let names: Vec<String> = (0..5 * PORTION + 3).map(|number| number.to_string()).collect();
            for name in &names {
                objects.put(&*projector, seen(name), (), Cause::Initial);
            }
            let (mut end, mut shown, mut gone) = (usize::MAX, HashSet::new(), HashSet::new());
            let mut going = names.iter().step_by(step);
            while end > 0 {
                let (start, portion) = objects.portion_before(end);
                shown.extend(portion.iter().map(|(key, _)| key.name().to_owned()));
                for name in going.by_ref().take(PORTION / 2) {
                    objects.take(&*projector, KeyRef { namespace: "", name }, Cause::Event);
                    gone.insert(name.clone());
                }
                end = start;
            }
            assert!(!gone.is_empty());
            assert!(names.iter().all(|name| gone.contains(name) || shown.contains(name)), "one in {step} goes");
        }
    }
}
