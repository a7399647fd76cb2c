//! The takeover of objects that another program of the same name wrote: objects that are as wanted are taken over without a write (TAKE-2).

use super::compare::{ManifestDifference, compare, is_unchanged};
use super::observe::{DryRun, own_fields};
use super::planner::Planner;
use super::{DesiredObject, ObjectAction, Phase, Projection};
use crate::manifest::{ReconcilePolicy, UpdatePolicy};

/// The result of comparing an object that this framework did not write with its manifest.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
pub(super) enum Comparison {
    /// The object is as wanted; of these leaves only the presence is ours.
    Same(Vec<Vec<String>>),
    /// The object differs from its manifest.
    Changed,
    /// The result requires an answer of the server first: the request, unless none can be sent now.
    Unknown(Option<ObjectAction>),
}

impl<'p> Planner<'p> {
    /// Takes an item over if its object needs no change. Returns true if that is decided.
    pub(super) fn take_over(&mut self, index: usize, object: &DesiredObject) -> bool {
        if self.was_completed_before(index, object) {
            self.items[index].digest.clone_from(&object.digest);
            return true;
        }
        let Some(live) = self.written_by_another(index, object) else {
            return true;
        };
        match self.compare_with_live(object, live) {
            Comparison::Changed => {}
            Comparison::Same(empty_paths) => {
                let item = &mut self.items[index];
                item.digest.clone_from(&object.digest);
                live.digest().clone_into(&mut item.live_digest);
                item.fingerprint = live.fingerprint_for(&empty_paths);
                item.empty_paths = empty_paths;
            }
            Comparison::Unknown(question) => {
                if let Some(question) = question {
                    self.send(question);
                }
                return false;
            }
        }
        true
    }

    /// Returns true if another program purged the object and the generation is the same since, so that the object must not be created again.
    fn was_completed_before(&self, index: usize, object: &DesiredObject) -> bool {
        let item = &self.items[index];
        self.observed.continued
            && item.phase == Phase::Completed
            && item.fingerprint.is_empty()
            && !item.is_redundant()
            && item.digest != object.digest
    }

    /// Returns the object of an item that was applied, but never written by this framework: its digest is not ours, and the item has no fingerprint.
    fn written_by_another(&self, index: usize, object: &DesiredObject) -> Option<&'p Projection> {
        let item = &self.items[index];
        if !item.is_applied()
            || !item.fingerprint.is_empty()
            || !item.live_digest.is_empty()
            || object.reconcile == ReconcilePolicy::Once
        {
            return None;
        }
        let live = self.observed.get(&object.key)?;
        let foreign = live.digest() != object.digest && !live.terminating && self.engine.owns(live);
        foreign.then_some(live)
    }

    /// Compares the live object with its manifest.
    pub(super) fn compare_with_live(&mut self, object: &DesiredObject, live: &Projection) -> Comparison {
        let key = &object.key;
        if self.is_halted(key) {
            return Comparison::Unknown(None);
        }
        if self.observed.dependent(key).results().unsure {
            return Comparison::Unknown(Some(self.read_live(&object.gvk, key, false)));
        }
        let Some(manifest) = object.manifest.clone() else {
            self.needs_manifests = true;
            return Comparison::Unknown(None);
        };
        let Some(full) = self.observed.dependent(key).full() else {
            return Comparison::Unknown(Some(self.read_live(&object.gvk, key, false)));
        };
        let context = &self.engine.context;
        let ours = own_fields(full, &context.field_manager).unwrap_or_default();
        let marks = [context.operator.owner_key(), context.operator.digest_key()];
        let ManifestDifference { wanted, owned, empty_paths } = compare(&manifest, full, &ours, &marks);
        // Fields that left the manifest are no reason to recreate an object.
        let counts = !owned.is_empty() && object.update != UpdatePolicy::Recreate;
        if wanted.is_empty() && !counts {
            return Comparison::Same(empty_paths);
        }
        match &self.observed.dependent(key).results().dry_run {
            None => Comparison::Unknown(self.dry_run(object, live, &empty_paths)),
            Some(DryRun::Answer(answer)) if is_unchanged(answer, full, &manifest) => Comparison::Same(empty_paths),
            // The server refuses an apply that would only remove fields of ours: they cannot be removed, so no write is needed.
            Some(DryRun::Refused) if wanted.is_empty() => Comparison::Same(empty_paths),
            Some(_) => Comparison::Changed,
        }
    }
}
