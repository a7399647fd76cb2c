use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use indexmap::map::MutableKeys as _;
use kubewright_core::time::Moment;
use kubewright_machinery::object::GroupKind;
use serde_json::Value;
use tokio::sync::mpsc;

use super::key::Place;
use super::version::{Uid, Version};
use super::{Cause, Change, Changes, Project, Store, StoreKey};

/// How long an own write outranks events when versions cannot be ordered.
const TEXT_FLOOR: Duration = Duration::from_secs(30);

/// The objects of a store and the rules by which lists, events and own writes become one sequence of changes.
///
/// An own write is a floor: what is older is ignored. `observed` is the opposite bound: all up to this version has been told,
/// so an answer that comes later than its own event is old news, even when the object has gone in between.
pub(super) struct State<P> {
    kind: Arc<GroupKind>,
    objects: IndexMap<StoreKey, Entry<P>>,
    index: HashMap<Box<str>, Vec<StoreKey>>,
    /// Own deletions that the watch has not told yet.
    gone: IndexMap<StoreKey, Gone>,
    /// Until when own writes with a version that has no order stand.
    text_floors: IndexMap<StoreKey, Moment>,
    namespaces: HashSet<Arc<str>>,
    /// Number of the latest list.
    round: u32,
    observed: Option<Version>,
    synced: bool,
    subscribers: Vec<mpsc::UnboundedSender<Change<P>>>,
}

struct Entry<P> {
    projection: Arc<P>,
    uid: Uid,
    version: Version,
    /// The latest list that had it.
    listed: u32,
    /// The latest list before its last own write.
    recorded: u32,
}

/// An object that we deleted, or took out of the scope of the watch.
struct Gone {
    uid: Uid,
    /// Later versions are news again; `None`: there are no later versions.
    up_to: Option<Version>,
    recorded: u32,
}

/// What a change of an object is judged by.
pub(super) struct Seen<'a> {
    place: Place<'a>,
    uid: Uid,
    version: Version,
}

impl<'a> Seen<'a> {
    /// `None` when the object has no name or version.
    pub(super) fn of(object: &'a Value) -> Option<Self> {
        let metadata = object.get("metadata")?;
        let text = |key| metadata.get(key).and_then(Value::as_str);
        Some(Self {
            place: Place {
                namespace: text("namespace").unwrap_or_default(),
                name: text("name")?,
            },
            uid: Uid::parse(text("uid").unwrap_or_default()),
            version: Version::parse(text("resourceVersion")?),
        })
    }
}

impl<P: Send + Sync + 'static> State<P> {
    pub(super) fn new(kind: Arc<GroupKind>) -> Self {
        Self {
            kind,
            objects: IndexMap::new(),
            index: HashMap::new(),
            gone: IndexMap::new(),
            text_floors: IndexMap::new(),
            namespaces: HashSet::new(),
            round: 0,
            observed: None,
            synced: false,
            subscribers: Vec::new(),
        }
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<P>> {
        self.objects
            .get(&Place { namespace, name })
            .map(|entry| &entry.projection)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&StoreKey, &Arc<P>)> {
        self.objects
            .iter()
            .map(|(key, entry)| (key, &entry.projection))
    }

    pub(super) fn indexed(&self, text: &str) -> impl Iterator<Item = (&StoreKey, &Arc<P>)> {
        let keys = self.index.get(text).map_or(&[][..], Vec::as_slice);
        keys.iter()
            .filter_map(|key| Some((key, &self.objects.get(key)?.projection)))
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn synced(&self) -> bool {
        self.synced
    }

    /// Changes from now on, after one for each present object.
    pub(super) fn subscribe(&mut self, store: Store<P>) -> Changes<P> {
        let (sender, receiver) = mpsc::unbounded_channel();
        for (key, entry) in &self.objects {
            let new = Some(entry.projection.clone());
            // The receiver is in our hands.
            drop(sender.send(Change {
                key: key.clone(),
                old: None,
                new,
                cause: Cause::Initial,
            }));
        }
        self.subscribers.push(sender);
        Changes {
            receiver,
            _store: store,
        }
    }

    /// Would this state of an object change the store?
    pub(super) fn is_news(&self, seen: &Seen<'_>, now: Moment) -> bool {
        if let Some(gone) = self
            .gone
            .get(&seen.place)
            .filter(|gone| gone.uid == seen.uid)
        {
            let later = gone
                .up_to
                .as_ref()
                .is_some_and(|up_to| seen.version.order(up_to) == Some(Ordering::Greater));
            if !later {
                return false;
            }
        }
        let Some(entry) = self.objects.get(&seen.place) else {
            return true;
        };
        match seen.version.order(&entry.version) {
            Some(order) => order == Ordering::Greater,
            None if entry.uid == seen.uid => {
                entry.version != seen.version && !self.stands(seen.place, now)
            }
            None => true,
        }
    }

    /// An object as an ADDED or MODIFIED event has it.
    pub(super) fn changed(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: Seen<'_>,
        projection: P,
        now: Moment,
    ) {
        self.observe(&seen.version);
        if self.is_news(&seen, now) {
            self.gone.swap_remove(&seen.place);
            self.put(projector, seen, projection, Cause::Event, None);
        }
    }

    /// An event that was no news is still progress.
    pub(super) fn old_news(&mut self, seen: &Seen<'_>) {
        self.observe(&seen.version);
        let confirmed = self
            .objects
            .get(&seen.place)
            .is_some_and(|entry| entry.version == seen.version);
        if confirmed && !self.text_floors.is_empty() {
            self.text_floors.swap_remove(&seen.place);
        }
    }

    /// A DELETED event.
    pub(super) fn deleted(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: &Seen<'_>,
        now: Moment,
    ) {
        self.observe(&seen.version);
        if self
            .gone
            .get(&seen.place)
            .is_some_and(|gone| gone.uid == seen.uid)
        {
            self.gone.swap_remove(&seen.place);
        }
        let Some(entry) = self.objects.get(&seen.place) else {
            return;
        };
        let gone = entry.uid == seen.uid
            || match seen.version.order(&entry.version) {
                Some(order) => order == Ordering::Greater,
                None => !self.stands(seen.place, now),
            };
        if gone {
            self.take(projector, seen.place, Cause::Event);
        }
    }

    /// The server has told all up to this version.
    pub(super) fn bookmark(&mut self, version: &Version) {
        self.observe(version);
    }

    pub(super) fn begin_list(&mut self) {
        self.round += 1;
    }

    /// Would this item of the current list change the store? Notes that it was listed.
    pub(super) fn list_is_news(&mut self, seen: &Seen<'_>, now: Moment) -> bool {
        if let Some(gone) = self
            .gone
            .get(&seen.place)
            .filter(|gone| gone.uid == seen.uid)
        {
            // What was deleted while the list was on its way may still be in it.
            if gone.recorded == self.round {
                return false;
            }
            self.gone.swap_remove(&seen.place);
        }
        let round = self.round;
        let Some(entry) = self.objects.get_mut(&seen.place) else {
            return true;
        };
        entry.listed = round;
        if entry.recorded == round {
            return self.is_news(seen, now);
        }
        entry.uid != seen.uid || entry.version != seen.version
    }

    /// An item of the current list that is news.
    pub(super) fn listed(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: Seen<'_>,
        projection: P,
        now: Moment,
    ) {
        // An own write may have come while the item was being projected.
        if !self.list_is_news(&seen, now) {
            return;
        }
        let cause = if self.synced {
            Cause::Event
        } else {
            Cause::Initial
        };
        self.put(projector, seen, projection, cause, None);
    }

    /// The current list is complete: what it did not have is gone.
    pub(super) fn end_list(&mut self, projector: &dyn Project<Output = P>, version: &Version) {
        let round = self.round;
        let gone: Vec<_> = self
            .objects
            .iter()
            .filter(|(_, entry)| {
                let written_since = entry.recorded == round
                    && entry.version.order(version) == Some(Ordering::Greater);
                entry.listed != round && !written_since
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone {
            self.take(projector, key.place(), Cause::Event);
        }
        self.gone.retain(|_, gone| gone.recorded == round);
        self.text_floors.clear();
        self.observed = Some(version.clone());
        self.synced = true;
    }

    /// The server no longer has the type.
    pub(super) fn clear(&mut self, projector: &dyn Project<Output = P>) {
        let keys: Vec<_> = self.objects.keys().cloned().collect();
        for key in keys {
            self.take(projector, key.place(), Cause::Event);
        }
        self.gone.clear();
        self.observed = None;
    }

    /// Can the answer to an own write still be news?
    pub(super) fn takes_record(&self, seen: &Seen<'_>) -> bool {
        let told = self.synced
            && self
                .observed
                .as_ref()
                .is_some_and(|observed| seen.version.order(observed).is_some_and(Ordering::is_le));
        let older = self.objects.get(&seen.place).is_some_and(|entry| {
            match seen.version.order(&entry.version) {
                Some(order) => order.is_le(),
                None => entry.version == seen.version,
            }
        });
        !told && !older
    }

    /// The answer to an own write.
    pub(super) fn record(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: Seen<'_>,
        projection: P,
        now: Moment,
    ) {
        if !self.takes_record(&seen) {
            return;
        }
        if self
            .gone
            .get(&seen.place)
            .is_some_and(|gone| gone.uid == seen.uid)
        {
            self.gone.swap_remove(&seen.place);
        }
        let floor = seen.version.is_text().then(|| now + TEXT_FLOOR);
        self.put(projector, seen, projection, Cause::OwnWrite, Some(floor));
    }

    /// An own write took the object out of the scope of the watch.
    pub(super) fn record_left(&mut self, projector: &dyn Project<Output = P>, seen: Seen<'_>) {
        let known = self
            .objects
            .get(&seen.place)
            .is_some_and(|entry| entry.uid == seen.uid);
        if known && self.takes_record(&seen) {
            self.bury(projector, seen.place, seen.uid, Some(seen.version));
        }
    }

    /// The server said that the object is gone.
    pub(super) fn record_delete(
        &mut self,
        projector: &dyn Project<Output = P>,
        namespace: &str,
        name: &str,
        uid: &str,
    ) {
        let (place, uid) = (Place { namespace, name }, Uid::parse(uid));
        if self
            .objects
            .get(&place)
            .is_some_and(|entry| entry.uid == uid)
        {
            self.bury(projector, place, uid, None);
        }
    }

    fn bury(
        &mut self,
        projector: &dyn Project<Output = P>,
        place: Place<'_>,
        uid: Uid,
        up_to: Option<Version>,
    ) {
        let recorded = self.round;
        if let Some(key) = self.take(projector, place, Cause::OwnWrite) {
            self.gone.insert(
                key,
                Gone {
                    uid,
                    up_to,
                    recorded,
                },
            );
        }
    }

    /// `own`: it is an own write, with the floor of a version that has no order.
    fn put(
        &mut self,
        projector: &dyn Project<Output = P>,
        seen: Seen<'_>,
        projection: P,
        cause: Cause,
        own: Option<Option<Moment>>,
    ) {
        let replaced = self
            .objects
            .get(&seen.place)
            .is_some_and(|entry| entry.uid != seen.uid);
        if replaced {
            self.take(projector, seen.place, cause);
        }
        let projection = Arc::new(projection);
        let round = self.round;
        let recorded = |before| if own.is_some() { round } else { before };
        let (key, old) = match self.objects.get_full_mut2(&seen.place) {
            Some((_, key, entry)) => {
                let old = std::mem::replace(&mut entry.projection, projection.clone());
                entry.version = seen.version;
                entry.listed = round;
                entry.recorded = recorded(entry.recorded);
                (key.clone(), Some(old))
            }
            None => {
                let key = self.key(seen.place);
                let entry = Entry {
                    projection: projection.clone(),
                    uid: seen.uid,
                    version: seen.version,
                    listed: round,
                    recorded: recorded(0),
                };
                self.objects.insert(key.clone(), entry);
                (key, None)
            }
        };
        match own.flatten() {
            Some(until) => drop(self.text_floors.insert(key.clone(), until)),
            None if self.text_floors.is_empty() => {}
            None => drop(self.text_floors.swap_remove(&key)),
        }
        self.reindex(
            &key,
            old.as_deref().and_then(|old| projector.index(old)),
            projector.index(&projection),
        );
        self.emit(Change {
            key,
            old,
            new: Some(projection),
            cause,
        });
    }

    fn take(
        &mut self,
        projector: &dyn Project<Output = P>,
        place: Place<'_>,
        cause: Cause,
    ) -> Option<StoreKey> {
        let (key, entry) = self.objects.swap_remove_entry(&place)?;
        if !self.text_floors.is_empty() {
            self.text_floors.swap_remove(&key);
        }
        self.reindex(&key, projector.index(&entry.projection), None);
        self.emit(Change {
            key: key.clone(),
            old: Some(entry.projection),
            new: None,
            cause,
        });
        Some(key)
    }

    fn reindex(&mut self, key: &StoreKey, before: Option<&str>, now: Option<&str>) {
        if before == now {
            return;
        }
        if let Some(before) = before
            && let Some(keys) = self.index.get_mut(before)
        {
            keys.retain(|other| other != key);
            if keys.is_empty() {
                self.index.remove(before);
            }
        }
        if let Some(now) = now {
            if let Some(keys) = self.index.get_mut(now) {
                keys.push(key.clone());
            } else {
                self.index.insert(now.into(), vec![key.clone()]);
            }
        }
    }

    fn emit(&mut self, change: Change<P>) {
        self.subscribers
            .retain(|subscriber| subscriber.send(change.clone()).is_ok());
    }

    fn observe(&mut self, version: &Version) {
        let progress = self
            .observed
            .as_ref()
            .is_none_or(|observed| version.order(observed) != Some(Ordering::Less));
        if progress {
            self.observed = Some(version.clone());
        }
    }

    /// Does an own write whose version has no order still outrank events?
    fn stands(&self, place: Place<'_>, now: Moment) -> bool {
        self.text_floors
            .get(&place)
            .is_some_and(|until| now < *until)
    }

    fn key(&mut self, place: Place<'_>) -> StoreKey {
        let namespace = match self.namespaces.get(place.namespace) {
            Some(known) => known.clone(),
            None => {
                let namespace: Arc<str> = place.namespace.into();
                self.namespaces.insert(namespace.clone());
                namespace
            }
        };
        StoreKey::new(self.kind.clone(), namespace, place.name)
    }
}
