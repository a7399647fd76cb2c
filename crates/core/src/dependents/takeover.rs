//! The takeover of objects that another program of the same name wrote: objects that are as wanted are taken over without a write (TAKE-2).

use super::compare::{ManifestDifference, compare, is_unchanged};
use super::dependent::{Dependent, PlanContext};
use super::observe::{DryRun, own_fields};
use super::write::NeedsManifest;
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
    Unknown(Option<Result<ObjectAction, NeedsManifest>>),
}

/// The decision about a wanted object that another program may have written.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
pub(super) enum Takeover<'a> {
    /// The object needs no takeover, or differs from its manifest; it is written if its digest is another one.
    Write,
    /// The object was purged and stays so.
    Completed,
    /// The live object is as wanted and needs no write; of these leaves only the presence is ours.
    Same(&'a Projection, Vec<Vec<String>>),
    /// The decision requires an answer of the server first: the request, unless none can be sent now.
    Unknown(Option<Result<ObjectAction, NeedsManifest>>),
}

impl<'a> Dependent<'a> {
    /// Decides whether the object is taken over without a write.
    pub(super) fn take_over(&self, object: &DesiredObject, context: &PlanContext<'_>) -> Takeover<'a> {
        if self.was_completed_before(object, context) {
            return Takeover::Completed;
        }
        let Some(live) = self.written_by_another(object, context) else {
            return Takeover::Write;
        };
        match self.compare_with_live(object, live, context) {
            Comparison::Changed => Takeover::Write,
            Comparison::Same(empty_paths) => Takeover::Same(live, empty_paths),
            Comparison::Unknown(question) => Takeover::Unknown(question),
        }
    }

    /// Returns true if another program purged the object and the generation is the same since, so that the object must not be created again.
    fn was_completed_before(&self, object: &DesiredObject, context: &PlanContext<'_>) -> bool {
        let item = &self.item;
        context.observed.continued
            && item.phase == Phase::Completed
            && item.fingerprint.is_empty()
            && !item.is_redundant()
            && item.digest != object.digest
    }

    /// Returns the object of an item that was applied, but never written by this framework: its digest is not ours, and the item has no fingerprint.
    fn written_by_another(&self, object: &DesiredObject, context: &PlanContext<'_>) -> Option<&'a Projection> {
        let item = &self.item;
        if !item.is_applied()
            || !item.fingerprint.is_empty()
            || !item.live_digest.is_empty()
            || object.reconcile == ReconcilePolicy::Once
        {
            return None;
        }
        let live = self.live()?;
        let foreign = live.digest() != object.digest && !live.terminating && context.engine.owns(live);
        foreign.then_some(live)
    }

    /// Compares the live object with its manifest.
    pub(super) fn compare_with_live(&self, object: &DesiredObject, live: &Projection, context: &PlanContext<'_>) -> Comparison {
        if self.is_halted() {
            return Comparison::Unknown(None);
        }
        if self.results().unsure {
            return Comparison::Unknown(Some(Ok(self.read_live(&object.gvk))));
        }
        let Some(manifest) = &object.manifest else {
            return Comparison::Unknown(Some(Err(NeedsManifest)));
        };
        let Some(full) = self.observed.full() else {
            return Comparison::Unknown(Some(Ok(self.read_live(&object.gvk))));
        };
        let names = &context.engine.context;
        let ours = own_fields(full, &names.field_manager).unwrap_or_default();
        let marks = [names.operator.owner_key(), names.operator.digest_key()];
        let ManifestDifference { wanted, owned, empty_paths } = compare(manifest, full, &ours, &marks);
        // Fields that left the manifest are no reason to recreate an object.
        let counts = !owned.is_empty() && object.update != UpdatePolicy::Recreate;
        if wanted.is_empty() && !counts {
            return Comparison::Same(empty_paths);
        }
        match &self.results().dry_run {
            None => Comparison::Unknown(Some(self.dry_run(object, live, &empty_paths, context))),
            Some(DryRun::Answer(answer)) if is_unchanged(answer, full, manifest) => Comparison::Same(empty_paths),
            // The server refuses an apply that would only remove fields of ours: they cannot be removed, so no write is needed.
            Some(DryRun::Refused) if wanted.is_empty() => Comparison::Same(empty_paths),
            Some(_) => Comparison::Changed,
        }
    }
}
