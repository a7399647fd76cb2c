use std::collections::{BTreeMap, BTreeSet, HashMap};

use kubewright_core::child::{HotLoop, LastWrite};
use kubewright_machinery::object::{Key, ObjectKey};
use parking_lot::Mutex;

use super::request::ChildTarget;

/// What a controller remembers of the children of its objects. Losing it costs a request for each child, never correctness.
#[derive(Debug, Default)]
pub(super) struct ChildMemory(Mutex<HashMap<Key, OfOwner>>);

#[derive(Debug, Default)]
struct OfOwner {
    children: BTreeMap<ObjectKey, OfChild>,
    /// The helpers that are to go before the finalizer of the owner is released (KID-6).
    helpers: BTreeMap<ObjectKey, ChildTarget>,
}

/// What is remembered of one child.
#[derive(Debug, Default)]
pub(super) struct OfChild {
    /// The last write.
    pub(super) last: Option<LastWrite>,
    /// The recent updates.
    pub(super) updates: HotLoop,
    /// Whether its creation met an object of its name that no store shows.
    pub(super) was_met: bool,
}

impl ChildMemory {
    /// Reads or changes what is remembered of a child.
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

    /// Keeps only these children of an owner.
    pub(super) fn retain(&self, owner: &Key, used: &BTreeSet<ObjectKey>) {
        let mut owners = self.0.lock();
        let Some(known) = owners.get_mut(owner) else { return };
        known.children.retain(|child, _| used.contains(child));
        if known.children.is_empty() && known.helpers.is_empty() {
            owners.remove(owner);
        }
    }

    /// The owner is gone, or another replica works on it.
    pub(super) fn forget(&self, owner: &Key) {
        self.0.lock().remove(owner);
    }
}
