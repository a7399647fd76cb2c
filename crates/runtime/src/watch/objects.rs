use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use kubewright_machinery::object::Key;
use serde_json::Value;
use tokio::sync::mpsc;

use super::place::Place;
use super::version::{Uid, Version};
use super::{Cause, Change, Changes, Project, Store};

/// The objects of a store with their index; tells its subscribers what changes.
pub(super) struct Objects<P> {
    entries: IndexMap<Key, Entry<P>>,
    index: HashMap<Box<str>, Vec<Key>>,
    namespaces: HashSet<Arc<str>>,
    subscribers: Vec<mpsc::UnboundedSender<Change<P>>>,
}

pub(super) struct Entry<P> {
    projection: Arc<P>,
    pub(super) uid: Uid,
    pub(super) version: Version,
    /// The latest list that had it.
    pub(super) listed: u32,
    /// The latest list before its last own write.
    pub(super) recorded: u32,
    /// Where its key stands among those of its index text: objects of one owner go in any order, thousands at a time.
    indexed: u32,
}

/// What a state of an object is judged by.
pub(super) struct Seen<'a> {
    pub(super) place: Place<'a>,
    pub(super) uid: Uid,
    pub(super) version: Version,
}

impl<'a> Seen<'a> {
    /// `None` when the object has no name or version.
    pub(super) fn of(object: &'a Value) -> Option<Self> {
        let metadata = object.get("metadata")?;
        let text = |key| metadata.get(key).and_then(Value::as_str);
        Some(Self {
            place: Place { namespace: text("namespace").unwrap_or_default(), name: text("name")? },
            uid: Uid::parse(text("uid").unwrap_or_default()),
            version: Version::parse(text("resourceVersion")?),
        })
    }
}

impl<P: Send + Sync + 'static> Objects<P> {
    pub(super) fn new() -> Self {
        Self { entries: IndexMap::new(), index: HashMap::new(), namespaces: HashSet::new(), subscribers: Vec::new() }
    }

    pub(super) fn projection(&self, place: Place<'_>) -> Option<&Arc<P>> {
        self.entries.get(&place).map(|entry| &entry.projection)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Arc<P>)> {
        self.entries.iter().map(|(key, entry)| (key, &entry.projection))
    }

    pub(super) fn indexed(&self, text: &str) -> impl Iterator<Item = (&Key, &Arc<P>)> {
        let keys = self.index.get(text).map_or(&[][..], Vec::as_slice);
        keys.iter().filter_map(|key| Some((key, &self.entries.get(key)?.projection)))
    }

    pub(super) fn count_indexed(&self, text: &str) -> usize {
        self.index.get(text).map_or(0, Vec::len)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, place: Place<'_>) -> Option<&Entry<P>> {
        self.entries.get(&place)
    }

    pub(super) fn entry_mut(&mut self, place: Place<'_>) -> Option<&mut Entry<P>> {
        self.entries.get_mut(&place)
    }

    /// The keys of the entries that meet a condition.
    pub(super) fn keys_of(&self, wanted: impl Fn(&Entry<P>) -> bool) -> Vec<Key> {
        let wanted = self.entries.iter().filter(|(_, entry)| wanted(entry));
        wanted.map(|(key, _)| key.clone()).collect()
    }

    /// Changes from now on, after one for each present object.
    pub(super) fn subscribe(&mut self, store: Store<P>) -> Changes<P> {
        let (sender, receiver) = mpsc::unbounded_channel();
        for (key, entry) in &self.entries {
            let new = Some(entry.projection.clone());
            let change = Change { key: key.clone(), old: None, new, cause: Cause::Initial };
            // The receiver is in our hands.
            drop(sender.send(change));
        }
        self.subscribers.push(sender);
        Changes { receiver, _store: store }
    }

    /// Adds or replaces; an object with another uid goes before its successor comes. Marks are the caller's.
    pub(super) fn put(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: Seen<'_>,
        projection: P,
        cause: Cause,
    ) -> (Key, &mut Entry<P>) {
        if self.entry(seen.place).is_some_and(|entry| entry.uid != seen.uid) {
            self.take(projector, seen.place, cause);
        }
        let projection = Arc::new(projection);
        let (key, at, old) = if let Some((at, key, entry)) = self.entries.get_full_mut(&seen.place) {
            entry.version = seen.version;
            let old = std::mem::replace(&mut entry.projection, projection.clone());
            (key.clone(), at, Some(old))
        } else {
            let key = self.key(seen.place);
            let entry = Entry {
                projection: projection.clone(),
                uid: seen.uid,
                version: seen.version,
                listed: 0,
                recorded: 0,
                indexed: 0,
            };
            let (at, _) = self.entries.insert_full(key.clone(), entry);
            (key, at, None)
        };
        let before = old.as_deref().and_then(|old| projector.index(old));
        let now = projector.index(&projection);
        if before != now {
            if let Some(before) = before {
                self.leave_index(before, self.entries[at].indexed);
            }
            self.entries[at].indexed = now.map_or(0, |now| self.join_index(now, &key));
        }
        self.emit(&Change { key: key.clone(), old, new: Some(projection), cause });
        (key, &mut self.entries[at])
    }

    pub(super) fn take(
        &mut self,
        projector: &dyn Project<Output = P>,
        place: Place<'_>,
        cause: Cause,
    ) -> Option<(Key, Uid, Version)> {
        let (key, entry) = self.entries.swap_remove_entry(&place)?;
        if let Some(before) = projector.index(&entry.projection) {
            self.leave_index(before, entry.indexed);
        }
        self.emit(&Change { key: key.clone(), old: Some(entry.projection), new: None, cause });
        Some((key, entry.uid, entry.version))
    }

    /// Adds a key to those of an index text, and tells where it stands.
    fn join_index(&mut self, text: &str, key: &Key) -> u32 {
        let keys = match self.index.get_mut(text) {
            Some(keys) => keys,
            None => self.index.entry(text.into()).or_default(),
        };
        keys.push(key.clone());
        u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
    }

    /// Takes the key at this place away; the last one takes its place.
    fn leave_index(&mut self, text: &str, at: u32) {
        let Some(keys) = self.index.get_mut(text) else { return };
        let place = at as usize;
        if place < keys.len() {
            keys.swap_remove(place);
        }
        if let Some(moved) = keys.get(place).and_then(|moved| self.entries.get_mut(moved)) {
            moved.indexed = at;
        }
        if keys.is_empty() {
            self.index.remove(text);
        }
    }

    fn emit(&mut self, change: &Change<P>) {
        self.subscribers.retain(|subscriber| subscriber.send(change.clone()).is_ok());
    }

    fn key(&mut self, place: Place<'_>) -> Key {
        let namespace = self.namespaces.get(place.namespace).cloned();
        let namespace = namespace.unwrap_or_else(|| {
            let namespace: Arc<str> = place.namespace.into();
            self.namespaces.insert(namespace.clone());
            namespace
        });
        Key::within(namespace, place.name)
    }
}
