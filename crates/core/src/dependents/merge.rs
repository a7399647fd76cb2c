//! The merge of the wanted set into the inventory (component.md, 10.6).

use super::observe::{OwnWrite, WrittenHow};
use super::planner::Planner;
use super::takeover::Takeover;
use super::{Desired, DesiredObject, Inventory, Item, Phase};
use crate::health::Health;
use crate::manifest::{DIGEST_ONCE, UpdatePolicy};
use crate::seconds::Seconds;

impl<'a> Planner<'a> {
    /// Gives every wanted object an item, marks items without a wanted object as redundant, and records the writes of this pass in the items. Returns
    /// the indexes of the wanted objects, in their order.
    pub(super) fn merge(&mut self, desired: &'a Desired, inventory: &Inventory) -> Vec<usize> {
        self.adopt_inventory(inventory);
        let mut wanted = Vec::with_capacity(desired.objects().len());
        for object in desired.objects() {
            let index = self.index_of(object);
            wanted.push(index);
            self.dependents[index].desired = Some(object);
            self.take_over(index, object);
        }
        for dependent in &mut self.dependents {
            let item = &mut dependent.item;
            if dependent.desired.is_none() && item.lifecycle.is_none() && !item.is_redundant() {
                item.digest.clear();
                dependent.phase_before = Some(item.phase);
                item.phase = Phase::ScheduledForDeletion;
                item.report(Health::Terminating, "");
            }
        }
        self.take_in_writes();
        wanted
    }

    /// Takes a wanted object over into its item, unless it is unknown whether the object must be written.
    fn take_over(&mut self, index: usize, object: &DesiredObject) {
        let dependent = &mut self.dependents[index];
        match dependent.take_over(object, &self.context) {
            Takeover::Write => {}
            Takeover::Completed => dependent.item.digest.clone_from(&object.digest),
            Takeover::Same(live, empty_paths) => {
                let item = &mut dependent.item;
                item.digest.clone_from(&object.digest);
                live.digest().clone_into(&mut item.live_digest);
                item.fingerprint = live.fingerprint_for(&empty_paths);
                item.empty_paths = empty_paths;
            }
            Takeover::Unknown(question) => {
                if let Some(question) = question {
                    self.send_result(question);
                }
                self.undecided = true;
                return;
            }
        }
        refresh(&mut dependent.item, object);
    }

    /// Starts from an inventory without changes.
    pub(super) fn adopt_inventory(&mut self, inventory: &Inventory) {
        self.dependents.reserve(inventory.len());
        self.index.reserve(inventory.len());
        for item in inventory.items() {
            let index = self.add(item.key(), item.clone());
            self.dependents[index].remember_readiness();
        }
    }

    /// Returns the index of the dependent of a wanted object, which is added if it is new.
    pub(super) fn index_of(&mut self, object: &DesiredObject) -> usize {
        match self.index.get(&object.key) {
            Some(&index) => index,
            None => self.add(object.key.clone(), new_item(object)),
        }
    }

    /// Records the writes of this pass in the items.
    pub(super) fn take_in_writes(&mut self) {
        for dependent in &mut self.dependents {
            if let Some(written) = &dependent.results().written {
                take_in(&mut dependent.item, written);
            }
        }
    }
}

/// Returns the item of a wanted object that is not in the inventory yet.
fn new_item(object: &DesiredObject) -> Item {
    Item {
        group: object.gvk.group.clone(),
        version: object.gvk.version.clone(),
        kind: object.gvk.kind.clone(),
        namespace: object.key.namespace.clone(),
        name: object.key.name.clone(),
        adoption_policy: object.adoption,
        reconcile_policy: object.reconcile,
        update_policy: object.update,
        delete_policy: object.delete,
        apply_order: object.apply_order,
        delete_order: object.delete_order,
        managed_types: Vec::new(),
        digest: String::new(),
        phase: Phase::ScheduledForApplication,
        status: None,
        last_applied_at: None,
        message: String::new(),
        fingerprint: String::new(),
        empty_paths: Vec::new(),
        live_digest: String::new(),
        lifecycle: None,
        was_ready: false,
    }
}

pub(super) fn refresh(item: &mut Item, object: &DesiredObject) {
    item.version.clone_from(&object.gvk.version);
    item.adoption_policy = object.adoption;
    item.reconcile_policy = object.reconcile;
    item.update_policy = object.update;
    item.delete_policy = object.delete;
    item.apply_order = object.apply_order;
    item.delete_order = object.delete_order;
    item.managed_types.clone_from(&object.managed_types);
    item.lifecycle = object.lifecycle;
    if item.digest != object.digest {
        item.digest.clone_from(&object.digest);
        item.phase = Phase::ScheduledForApplication;
        item.report(Health::InProgress, "");
        // The next write has other fields. They stay unknown if this process ends before it records their fingerprint.
        item.fingerprint.clear();
    }
}

fn take_in(item: &mut Item, written: &OwnWrite) {
    if item.is_redundant() {
        return;
    }
    if written.how == WrittenHow::Recreating {
        item.phase = Phase::Updating;
        return;
    }
    if written.digest != item.digest {
        return;
    }
    let at = Some(Seconds::from(written.at));
    // Times are whole seconds: an object that is created again may have the same time as before.
    let same = item.last_applied_at == at && item.fingerprint == written.fingerprint;
    let known = same && item.phase == Phase::Ready && !written.again;
    if known || matches!(item.phase, Phase::ScheduledForCompletion | Phase::Completing | Phase::Completed) {
        return;
    }
    item.last_applied_at = at;
    item.fingerprint.clone_from(&written.fingerprint);
    item.empty_paths.clone_from(&written.empty_paths);
    item.live_digest.clear();
    match written.how {
        WrittenHow::Created => item.phase = Phase::Creating,
        WrittenHow::Updated => item.phase = Phase::Updating,
        WrittenHow::Corrected | WrittenHow::Recreating => {}
    }
}

impl Item {
    /// Returns true if a live object with this digest annotation differs from the wanted one (WAVE-3). An object without a recorded write is written
    /// in case of doubt, but not recreated: another replica or the previous process may just have created it.
    pub(super) fn differs_from(&self, live_digest: &str) -> bool {
        let once = self.digest == DIGEST_ONCE && live_digest == DIGEST_ONCE;
        let wanted = if self.live_digest.is_empty() { &self.digest } else { &self.live_digest };
        let unknown = self.last_applied_at.is_none() && self.update_policy != UpdatePolicy::Recreate;
        !once && (unknown || *wanted != *live_digest)
    }
}
