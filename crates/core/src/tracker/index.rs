//! The index of tracked references: the references of each observer, and the observers that a change concerns.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, ObjectExt};
use kubewright_machinery::selector::Labels;
use serde_json::Value;

use super::TrackedReference;
use crate::flow::{Flow, Halt};

/// The references of all observers of a controller, found by observer and by referenced object.
///
/// Finding the observers of one object takes one look-up for references by name, and one match for each selector of its kind and namespace. Observers
/// share the memory of equal references.
#[derive(Clone, Debug)]
pub struct TrackerIndex<O> {
    references: HashMap<Arc<TrackedReference>, BTreeSet<O>>,
    kinds: HashMap<GroupKind, KindIndex>,
    observers: HashMap<O, Observer>,
    registrations: usize,
    passes: u64,
}

/// The references to objects of one kind.
#[derive(Clone, Debug, Default)]
struct KindIndex {
    /// The number of different references, by name and by selector.
    references: usize,
    /// The references by selector, by namespace.
    selectors: HashMap<String, HashSet<Arc<TrackedReference>>>,
}

/// The references of one observer.
#[derive(Clone, Debug, Default)]
struct Observer {
    /// The number of the latest pass.
    pass: u64,
    /// The references, each with the number of the latest pass that registered it.
    references: HashMap<Arc<TrackedReference>, u64>,
}

/// A pass of an observer that registers references, from [`TrackerIndex::begin`] to [`TrackerIndex::settle`].
///
/// A pass that never settles, for instance a cancelled one, leaves its references in addition to the former ones.
#[derive(Debug)]
#[must_use = "a pass that is not settled keeps the references of earlier passes"]
pub struct Tracking<O> {
    observer: O,
    pass: u64,
}

/// The treatment of references of earlier passes that this pass did not register again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The references are dropped: the pass completed, so it depends on nothing else.
    Replace,
    /// The references are kept: the pass may have stopped before it registered them.
    Add,
}

/// The result of registering a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceRegistration {
    /// The reference is new for the observer.
    Added,
    /// The observer had the reference already.
    Repeated,
    /// The reference is not registered: the observer was dropped during the pass, or runs in a newer pass.
    Refused,
}

impl<O> TrackerIndex<O> {
    /// Creates an index without observers.
    pub fn new() -> Self {
        Self { references: HashMap::new(), kinds: HashMap::new(), observers: HashMap::new(), registrations: 0, passes: 0 }
    }

    /// Returns the total number of references of all observers.
    pub fn len(&self) -> usize {
        self.registrations
    }

    /// Returns true if no observer tracks anything.
    pub fn is_empty(&self) -> bool {
        self.registrations == 0
    }

    /// Returns the kinds that at least one reference names.
    pub fn kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.kinds.keys()
    }
}

impl<O: Clone + Eq + Hash + Ord> TrackerIndex<O> {
    /// Begins a pass of an observer. References that an earlier, unsettled pass still registers are refused from now on.
    pub fn begin(&mut self, observer: O) -> Tracking<O> {
        self.passes += 1;
        self.observers.entry(observer.clone()).or_default().pass = self.passes;
        Tracking { observer, pass: self.passes }
    }

    /// Registers a reference of the running pass, with immediate effect. An observer may have any number of names and selectors.
    pub fn track(&mut self, tracking: &Tracking<O>, reference: TrackedReference) -> ReferenceRegistration {
        let Some(observer) = self.observers.get_mut(&tracking.observer).filter(|observer| observer.pass == tracking.pass) else {
            return ReferenceRegistration::Refused;
        };
        if let Some(pass) = observer.references.get_mut(&reference) {
            *pass = tracking.pass;
            return ReferenceRegistration::Repeated;
        }
        let known = self.references.get_key_value(&reference).map(|(known, _)| Arc::clone(known));
        let reference = known.unwrap_or_else(|| {
            let reference = Arc::new(reference);
            self.kinds.entry(reference.kind().clone()).or_default().add(&reference);
            reference
        });
        observer.references.insert(Arc::clone(&reference), tracking.pass);
        self.references.entry(reference).or_default().insert(tracking.observer.clone());
        self.registrations += 1;
        ReferenceRegistration::Added
    }

    /// Ends a pass, and drops the references of earlier passes if the settlement says so. The references of this pass stay registered. Returns the
    /// kinds that no reference names any more.
    pub fn settle(&mut self, tracking: Tracking<O>, settlement: Settlement) -> Vec<GroupKind> {
        let Tracking { observer: name, pass } = tracking;
        let Some(observer) = self.observers.get_mut(&name).filter(|observer| observer.pass == pass) else {
            return Vec::new();
        };
        let dropped: Vec<_> = match settlement {
            Settlement::Add => Vec::new(),
            Settlement::Replace => {
                observer.references.extract_if(|_, latest| *latest != pass).map(|(reference, _)| reference).collect()
            }
        };
        if observer.references.is_empty() {
            self.observers.remove(&name);
        }
        self.unregister(&name, dropped)
    }

    /// Drops an observer with all its references, including those that a running pass has registered. Later registrations of that pass are refused.
    /// Returns the kinds that no reference names any more.
    pub fn drop_observer(&mut self, observer: &O) -> Vec<GroupKind> {
        match self.observers.remove(observer) {
            Some(dropped) => self.unregister(observer, dropped.references.into_keys()),
            None => Vec::new(),
        }
    }

    /// Returns the observers that a change of an object concerns: those that reference its name, and those with a selector that matches the labels of
    /// the object before or after the change. A created object has no labels before (`None`), a deleted object none after.
    pub fn observers_of_change(
        &self,
        kind: &GroupKind,
        namespace: &str,
        name: &str,
        before: Option<&dyn Labels>,
        after: Option<&dyn Labels>,
    ) -> BTreeSet<O> {
        let Some(kind_index) = self.kinds.get(kind) else {
            return BTreeSet::new();
        };
        let matches = |reference: &TrackedReference| {
            let mut versions = [before, after].into_iter().flatten();
            reference.selector().is_some_and(|selector| versions.any(|labels| selector.matches(labels)))
        };
        let mut observers = self.observers_of(&TrackedReference::to_object(kind, namespace, name));
        for reference in kind_index.selectors.get(namespace).into_iter().flatten().filter(|reference| matches(reference)) {
            observers.extend(self.references.get(reference).into_iter().flatten().cloned());
        }
        observers
    }

    /// Returns the observers that a change of this object would concern if its labels stayed the same.
    pub fn observers_of_object(&self, object: &Value) -> BTreeSet<O> {
        object.gvk().map_or_else(BTreeSet::new, |gvk| {
            let labels: &dyn Labels = object.labels();
            self.observers_of_change(&gvk.group_kind(), object.namespace(), object.name(), None, Some(labels))
        })
    }

    /// Returns the observers that have registered exactly this reference.
    pub fn observers_of(&self, reference: &TrackedReference) -> BTreeSet<O> {
        self.references.get(reference).cloned().unwrap_or_default()
    }

    /// Returns the references of an observer, in no particular order.
    pub fn references_of(&self, observer: &O) -> impl Iterator<Item = &TrackedReference> {
        self.observers.get(observer).into_iter().flat_map(|observer| observer.references.keys().map(AsRef::as_ref))
    }

    /// Removes an observer from references, and references that have no observer left. Returns the kinds that no reference names any more.
    fn unregister(&mut self, observer: &O, references: impl IntoIterator<Item = Arc<TrackedReference>>) -> Vec<GroupKind> {
        let mut untracked = Vec::new();
        for reference in references {
            self.registrations -= 1;
            let Some(observers) = self.references.get_mut(&reference) else { continue };
            observers.remove(observer);
            if !observers.is_empty() {
                continue;
            }
            self.references.remove(&reference);
            let Some(kind) = self.kinds.get_mut(reference.kind()) else { continue };
            kind.remove(&reference);
            if kind.references == 0 {
                untracked.extend(self.kinds.remove_entry(reference.kind()).map(|(kind, _)| kind));
            }
        }
        untracked
    }

    /// Returns true if the index holds no memory for any observer, reference or kind.
    #[cfg(test)]
    pub(super) fn holds_nothing(&self) -> bool {
        self.references.is_empty() && self.kinds.is_empty() && self.observers.is_empty() && self.registrations == 0
    }
}

impl<O> Default for TrackerIndex<O> {
    fn default() -> Self {
        Self::new()
    }
}

impl KindIndex {
    fn add(&mut self, reference: &Arc<TrackedReference>) {
        self.references += 1;
        if reference.selector().is_some() {
            self.selectors.entry(reference.namespace().to_owned()).or_default().insert(Arc::clone(reference));
        }
    }

    fn remove(&mut self, reference: &Arc<TrackedReference>) {
        self.references -= 1;
        if let Some(selectors) = self.selectors.get_mut(reference.namespace())
            && selectors.remove(reference)
            && selectors.is_empty()
        {
            self.selectors.remove(reference.namespace());
        }
    }
}

impl Settlement {
    /// Returns the settlement for the outcome of a pass: `Ok` and [`Halt::Done`] replace the former references, other outcomes add to them.
    pub fn of<T>(outcome: &Flow<T>) -> Self {
        match outcome {
            Ok(_) | Err(Halt::Done) => Self::Replace,
            Err(_) => Self::Add,
        }
    }
}
