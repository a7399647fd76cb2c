//! The merge of the wanted set into the inventory (component.md, 10.6).

use super::observe::{OwnWrite, WrittenHow};
use super::planner::Planner;
use super::{Desired, DesiredObject, Inventory, Item, Phase};
use crate::health::Status;
use crate::manifest::{DIGEST_ONCE, UpdatePolicy};
use crate::seconds::Seconds;

impl Planner<'_> {
    /// Gives every wanted object an item, marks items without a wanted object as redundant, and records the writes of this pass in the items.
    pub(super) fn merge(&mut self, desired: &Desired, inventory: &Inventory) {
        self.adopt_inventory(inventory);
        for object in desired.objects() {
            let index = match self.index.get(&object.key) {
                Some(&index) => index,
                None => self.append(object),
            };
            if self.take_over(index, object) {
                refresh(&mut self.items[index], object);
            } else {
                self.undecided = true;
            }
        }
        for (index, item) in self.items.iter_mut().enumerate() {
            if item.lifecycle.is_some() || item.is_redundant() || self.gone.contains(&index) {
                continue;
            }
            let key = item.key();
            if desired.get(&key).is_none() {
                item.digest.clear();
                self.phase_before.insert(key, item.phase);
                item.phase = Phase::ScheduledForDeletion;
                item.report(Status::Terminating, "");
            }
        }
        self.take_in_writes();
    }

    /// Starts from an inventory without changes.
    pub(super) fn adopt_inventory(&mut self, inventory: &Inventory) {
        self.items = inventory.items().to_vec();
        self.remember_readiness();
        self.index = self.items.iter().enumerate().map(|(index, item)| (item.key(), index)).collect();
    }

    pub(super) fn append(&mut self, object: &DesiredObject) -> usize {
        let index = self.items.len();
        self.items.push(Item {
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
        });
        self.index.insert(object.key.clone(), index);
        index
    }

    /// Records the writes of this pass in the items.
    pub(super) fn take_in_writes(&mut self) {
        for item in &mut self.items {
            if let Some(written) = &self.observed.dependent(&item.key()).results().written {
                take_in(item, written);
            }
        }
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
        item.report(Status::InProgress, "");
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
