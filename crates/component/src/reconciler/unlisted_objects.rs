//! Created objects that no status lists yet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kubewright_core::dependents::{Inventory, Item, ObjectAction, Refusal, RequestPurpose};
use kubewright_machinery::object::{Key, ObjectKey};
use parking_lot::Mutex;

use crate::targets::DependentsTarget;

/// The objects that this process created for components, until a status that it wrote afterwards lists them.
///
/// Kubernetes changes one object at a time: between the status that lists a dependent and the request that creates it, another operator may
/// remove all dependents and release the component. Then only the process that created the object knows of it.
#[derive(Debug, Default)]
pub(crate) struct Leftovers(Mutex<HashMap<Key, HashMap<ObjectKey, Leftover>>>);

/// An object that the status may not list.
#[derive(Clone, Debug)]
pub(crate) struct Leftover {
    /// The UID of the component for which it was created.
    pub(super) component: String,
    /// The target of the object.
    pub(super) target: Arc<DependentsTarget>,
    pub(super) item: Item,
    /// The UID of the object. Empty while it is not known that this process created it.
    pub(super) uid: String,
}

impl Leftovers {
    /// Notes actions that are about to be sent. Objects are noted before the request, because its answer may be lost.
    pub(super) fn expect(
        &self,
        key: &Key,
        component: &str,
        target: &Arc<DependentsTarget>,
        actions: &[ObjectAction],
        inventory: &Inventory,
    ) {
        let created: HashSet<&ObjectKey> =
            actions.iter().filter(|action| action.purpose == RequestPurpose::Create).map(|action| &action.key).collect();
        if created.is_empty() {
            return;
        }
        let mut all = self.0.lock();
        let known = all.entry(key.clone()).or_default();
        for item in inventory.items() {
            let object = item.key();
            if created.contains(&object) && !known.contains_key(&object) {
                let (component, target) = (component.to_owned(), Arc::clone(target));
                known.insert(object, Leftover { component, target, item: item.clone(), uid: String::new() });
            }
        }
    }

    /// Returns the components with such objects.
    pub(crate) fn components(&self) -> Vec<Key> {
        self.0.lock().keys().cloned().collect()
    }

    /// Notes that an object was created.
    pub(super) fn created(&self, key: &Key, object: &ObjectKey, uid: &str) {
        if let Some(leftover) = self.0.lock().get_mut(key).and_then(|known| known.get_mut(object)) {
            uid.clone_into(&mut leftover.uid);
        }
    }

    /// Forgets an object if the answer proves that it was not created. An attempt whose answer was lost may have created an object that exists
    /// now.
    pub(super) fn refused(&self, key: &Key, object: &ObjectKey, refusal: &Refusal) {
        if !refusal.is_transient() && !refusal.is_conflict() {
            let mut all = self.0.lock();
            let Some(known) = all.get_mut(key) else { return };
            if known.get(object).is_some_and(|leftover| leftover.uid.is_empty()) {
                known.remove(object);
            }
            if known.is_empty() {
                all.remove(key);
            }
        }
    }

    /// Forgets the objects in this inventory, which a later status contains.
    pub(super) fn listed(&self, key: &Key, inventory: &Inventory) {
        let mut all = self.0.lock();
        let Some(known) = all.get_mut(key) else { return };
        for item in inventory.items() {
            known.remove(&item.key());
        }
        if known.is_empty() {
            all.remove(key);
        }
    }

    /// Forgets the objects that a pass observed and did not put into its inventory: they are gone, or belong to another owner.
    pub(super) fn looked_at(&self, key: &Key, inventory: &Inventory) {
        if !self.is_empty(key) {
            let left: HashSet<ObjectKey> = inventory.items().iter().map(Item::key).collect();
            self.retain(key, |known, _| left.contains(known));
        }
    }

    /// Returns the objects in this target that this process certainly created for the component.
    pub(super) fn known(&self, key: &Key, target: &Arc<DependentsTarget>) -> Vec<Leftover> {
        let all = self.0.lock();
        let leftovers = all.get(key).into_iter().flat_map(HashMap::values);
        leftovers.filter(|leftover| !leftover.uid.is_empty() && Arc::ptr_eq(&leftover.target, target)).cloned().collect()
    }

    pub(crate) fn is_empty(&self, key: &Key) -> bool {
        !self.0.lock().contains_key(key)
    }

    pub(super) fn take(&self, key: &Key) -> Vec<Leftover> {
        self.0.lock().remove(key).into_iter().flat_map(HashMap::into_values).collect()
    }

    pub(super) fn put_back(&self, key: &Key, leftovers: Vec<Leftover>) {
        if !leftovers.is_empty() {
            self.0
                .lock()
                .entry(key.clone())
                .or_default()
                .extend(leftovers.into_iter().map(|leftover| (leftover.item.key(), leftover)));
        }
    }

    fn retain(&self, key: &Key, mut keep: impl FnMut(&ObjectKey, &Leftover) -> bool) {
        let mut all = self.0.lock();
        if let Some(known) = all.get_mut(key) {
            known.retain(|object, leftover| keep(object, leftover));
            if known.is_empty() {
                all.remove(key);
            }
        }
    }
}
