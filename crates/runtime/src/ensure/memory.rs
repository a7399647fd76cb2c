use std::collections::{BTreeMap, BTreeSet, HashMap};

use kubewright_core::child::{HotLoop, LastWrite};
use kubewright_machinery::object::{Key, ObjectKey};
use parking_lot::Mutex;

use super::request::ChildTarget;

/// The memory of a controller about the children of its objects. Its loss costs a request for each child, but never correctness.
#[derive(Debug, Default)]
pub(super) struct ChildMemory(Mutex<HashMap<Key, OfOwner>>);

#[derive(Debug, Default)]
struct OfOwner {
    children: BTreeMap<ObjectKey, OfChild>,
    /// The helpers that must be deleted before the finalizer of the owner is removed (KID-6).
    helpers: BTreeMap<ObjectKey, ChildTarget>,
}

/// The memory of one child.
#[derive(Debug, Default)]
pub(super) struct OfChild {
    /// The last write of the child.
    pub(super) last: Option<LastWrite>,
    /// The recent updates of the child.
    pub(super) updates: HotLoop,
    /// True if the creation of the child failed because of an object of its name that no store shows.
    pub(super) was_met: bool,
}

impl ChildMemory {
    /// Reads or changes the memory of a child.
    pub(super) fn of<T>(&self, owner: &Key, child: &ObjectKey, use_it: impl FnOnce(&mut OfChild) -> T) -> T {
        let mut owners = self.0.lock();
        use_it(owners.entry(owner.clone()).or_default().children.entry(child.clone()).or_default())
    }

    pub(super) fn forget_child(&self, owner: &Key, child: &ObjectKey) {
        if let Some(known) = self.0.lock().get_mut(owner) {
            known.children.remove(child);
            known.helpers.remove(child);
        }
    }

    pub(super) fn add_helper(&self, owner: &Key, child: ObjectKey, helper: ChildTarget) {
        self.0.lock().entry(owner.clone()).or_default().helpers.insert(child, helper);
    }

    pub(super) fn helpers(&self, owner: &Key) -> Vec<ChildTarget> {
        self.0.lock().get(owner).map(|known| known.helpers.values().cloned().collect()).unwrap_or_default()
    }

    /// Keeps the memory of only these children of an owner.
    pub(super) fn retain(&self, owner: &Key, used: &BTreeSet<ObjectKey>) {
        let mut owners = self.0.lock();
        let Some(known) = owners.get_mut(owner) else { return };
        known.children.retain(|child, _| used.contains(child));
        if known.children.is_empty() && known.helpers.is_empty() {
            owners.remove(owner);
        }
    }

    /// Drops the memory of an owner that is gone or that another replica works on.
    pub(super) fn forget(&self, owner: &Key) {
        self.0.lock().remove(owner);
    }
}
