use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kubewright_core::dependents::{Inventory, Item, ObjectAction, Refusal, Verb};
use kubewright_machinery::object::{Key, ObjectKey};
use parking_lot::Mutex;

use crate::targets::Target;

/// What this process created for components, until a status that it wrote afterwards lists it.
///
/// Kubernetes changes one object at a time: between the status that lists a dependent and the request that creates it, another
/// operator may remove all dependents and let the component go. Then whoever created the object is the only one to know of it.
#[derive(Debug, Default)]
pub(crate) struct Strays(Mutex<HashMap<Key, HashMap<ObjectKey, Stray>>>);

/// An object that is perhaps not listed.
#[derive(Clone, Debug)]
pub(crate) struct Stray {
    /// The UID of the component for which it was created.
    pub(super) component: String,
    /// Where it lives.
    pub(super) target: Arc<Target>,
    pub(super) item: Item,
    /// Empty while it is not known whether it was this process that created it.
    pub(super) uid: String,
}

impl Strays {
    /// These actions are about to be sent. What an answer that never comes may have created is to be known, too.
    pub(super) fn expect(
        &self,
        key: &Key,
        component: &str,
        target: &Arc<Target>,
        actions: &[ObjectAction],
        inventory: &Inventory,
    ) {
        let created: HashSet<&ObjectKey> =
            actions.iter().filter(|action| action.verb == Verb::Create).map(|action| &action.key).collect();
        if created.is_empty() {
            return;
        }
        let mut all = self.0.lock();
        let known = all.entry(key.clone()).or_default();
        for item in inventory.items() {
            let object = item.key();
            if created.contains(&object) && !known.contains_key(&object) {
                let (component, target) = (component.to_owned(), Arc::clone(target));
                known.insert(object, Stray { component, target, item: item.clone(), uid: String::new() });
            }
        }
    }

    /// The components with such objects.
    pub(crate) fn components(&self) -> Vec<Key> {
        self.0.lock().keys().cloned().collect()
    }

    /// It was created.
    pub(super) fn created(&self, key: &Key, object: &ObjectKey, uid: &str) {
        if let Some(stray) = self.0.lock().get_mut(key).and_then(|known| known.get_mut(object)) {
            uid.clone_into(&mut stray.uid);
        }
    }

    /// It was not created, if the answer says so: an attempt whose answer was lost may have created what now exists.
    pub(super) fn refused(&self, key: &Key, object: &ObjectKey, refusal: &Refusal) {
        if !refusal.is_transient() && !refusal.is_conflict() {
            let mut all = self.0.lock();
            let Some(known) = all.get_mut(key) else { return };
            if known.get(object).is_some_and(|stray| stray.uid.is_empty()) {
                known.remove(object);
            }
            if known.is_empty() {
                all.remove(key);
            }
        }
    }

    /// A status with this inventory was written after all that.
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

    /// A pass has looked at all of them: what is not in its inventory is gone, or not ours.
    pub(super) fn looked_at(&self, key: &Key, inventory: &Inventory) {
        if !self.is_empty(key) {
            let left: HashSet<ObjectKey> = inventory.items().iter().map(Item::key).collect();
            self.retain(key, |known, _| left.contains(known));
        }
    }

    /// What this process certainly created for the component there.
    pub(super) fn known(&self, key: &Key, target: &Arc<Target>) -> Vec<Stray> {
        let all = self.0.lock();
        let strays = all.get(key).into_iter().flat_map(HashMap::values);
        strays.filter(|stray| !stray.uid.is_empty() && Arc::ptr_eq(&stray.target, target)).cloned().collect()
    }

    pub(crate) fn is_empty(&self, key: &Key) -> bool {
        !self.0.lock().contains_key(key)
    }

    pub(super) fn take(&self, key: &Key) -> Vec<Stray> {
        self.0.lock().remove(key).into_iter().flat_map(HashMap::into_values).collect()
    }

    pub(super) fn put_back(&self, key: &Key, strays: Vec<Stray>) {
        if !strays.is_empty() {
            self.0.lock().entry(key.clone()).or_default().extend(strays.into_iter().map(|stray| (stray.item.key(), stray)));
        }
    }

    fn retain(&self, key: &Key, mut keep: impl FnMut(&ObjectKey, &Stray) -> bool) {
        let mut all = self.0.lock();
        if let Some(known) = all.get_mut(key) {
            known.retain(|object, stray| keep(object, stray));
            if known.is_empty() {
                all.remove(key);
            }
        }
    }
}
