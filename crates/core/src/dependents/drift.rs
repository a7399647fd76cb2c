//! The correction of fields of ours that other programs changed, and the forced reapply (component.md, 10.13).

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::compare::contested;
use super::dependent::{Dependent, PlanContext, after};
use super::fights::{self, CorrectionCause, Corrections};
use super::memory::Compared;
use super::state::{WantedObjectState, seconds_between};
use super::takeover::Comparison;
use super::write::NeedsManifest;
use super::{DesiredObject, FINGERPRINT_NONE, Note, ObjectAction, Phase, Projection, RequestPurpose};
use crate::manifest::{ReconcilePolicy, UpdatePolicy};
use crate::seconds::Seconds;

/// Returns the time between reapplies of an object, in seconds.
pub(super) fn interval_of(object: &DesiredObject) -> i64 {
    i64::try_from(object.reapply_interval.as_secs()).unwrap_or(i64::MAX)
}

/// The result of checking an object in sync for drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    InSync,
    Drift,
    Unknown,
    /// No field of the object is ours, so its fingerprint shows no change.
    Untracked,
}

/// The next request for correcting an object, if one is to be sent.
type Correction = Option<Result<ObjectAction, NeedsManifest>>;

impl Dependent<'_> {
    /// Corrects an object that was applied before, in whatever wave it is (WAVE-4). Returns the request, if one is due.
    ///
    /// The state of the object becomes that for the waves: an object that is deleted in order to be created again counts as not ready.
    pub(super) fn correct(&mut self, object: &DesiredObject, context: &PlanContext<'_>) -> Correction {
        match self.state {
            WantedObjectState::InSync { .. } => {}
            WantedObjectState::Changed | WantedObjectState::Unmarked => {
                self.hold_back(object, context);
                return None;
            }
            _ => return None,
        }
        let correction = self.correct_in_sync(object, context);
        if matches!(&correction, Some(Ok(action)) if action.purpose == RequestPurpose::Recreate) {
            self.state = WantedObjectState::InSync { ready: false };
        }
        correction
    }

    /// Returns true if the object was applied in its current form.
    pub(super) fn was_applied(&self, object: &DesiredObject) -> bool {
        self.item.is_applied() && self.item.digest == object.digest
    }

    /// Returns true if an object that no watch shows may exist nevertheless, because a program that changes it repeatedly may have removed its label.
    pub(super) fn may_be_hidden(&self) -> bool {
        let problems = self.remembered.problems();
        (problems.corrections.is_some() || problems.met) && !self.results().read_absent
    }

    fn correct_in_sync(&mut self, object: &DesiredObject, context: &PlanContext<'_>) -> Correction {
        let (live, now) = (self.live()?, context.now);
        let applied = matches!(self.item.phase, Phase::Creating | Phase::Updating | Phase::Ready);
        if !applied || object.reconcile == ReconcilePolicy::Once {
            return None;
        }
        if self.observed.is_written() {
            self.remember_peace(object, &BTreeSet::new(), now);
            return None;
        }
        if self.results().uncorrected {
            let causes = BTreeSet::from([CorrectionCause::Object]);
            self.plan_next_correction(object, &causes, now);
            self.tell_pending(object, "", live.managers(), &causes, now);
            return None;
        }
        if self.results().unsure {
            return Some(corrective(Ok(self.read_live(&object.gvk))));
        }
        if self.results().refused_apply {
            return Some(corrective(self.repair(object, live, context)));
        }
        let due = self.is_due(object, now);
        let finding = self.look(live);
        let causes = if finding == Finding::Drift { self.causes(object, live) } else { BTreeSet::new() };
        self.remember_peace(object, &causes, now);
        let wanted = match finding {
            Finding::Drift => due || self.may_correct(object, &causes, now),
            Finding::Unknown if object.update == UpdatePolicy::Recreate => {
                // An object is not recreated on suspicion; its fields count as known from now on.
                if due {
                    self.item.fingerprint = live.fingerprint_for(&[]);
                    self.item.last_applied_at.get_or_insert_with(|| Seconds::from(now));
                }
                false
            }
            Finding::Unknown if due => match self.compare_with_live(object, live, context) {
                Comparison::Changed => true,
                Comparison::Unknown(question) => return Some(corrective(question?)),
                Comparison::Same(empty_paths) => {
                    self.remember_compared(live, empty_paths);
                    false
                }
            },
            Finding::Unknown => false,
            // The fingerprint shows no change, so the object is written whenever a reapply is due (DRIFT-4).
            Finding::Untracked => due && object.update != UpdatePolicy::Recreate,
            // The object is as wanted; fields that an earlier operation of ours owns are claimed with the next change (TAKE-2).
            Finding::InSync => due && object.update == UpdatePolicy::SsaOverride && live.reclaim_others,
        };
        if wanted {
            return Some(corrective(self.correction(object, live, &causes, context)));
        }
        if finding == Finding::Drift {
            let (fields, managers) = fights::named(&causes.iter().cloned().collect::<Vec<_>>());
            let managers = if managers.is_empty() { live.managers().to_owned() } else { managers };
            self.tell_pending(object, &fields, &managers, &causes, now);
        }
        None
    }

    /// Compares the live fingerprint with the known one. If the status does not keep fingerprints, the last comparison provides it (STA-3).
    fn look(&self, live: &Projection) -> Finding {
        let item = &self.item;
        let compared = self.remembered.compared.as_ref().filter(|compared| *compared.digest == *item.digest);
        let (fingerprint, empty_paths) = match compared {
            Some(compared) if item.fingerprint.is_empty() => (&*compared.fingerprint, &*compared.empty_paths),
            _ => (item.fingerprint.as_str(), item.empty_paths.as_slice()),
        };
        if fingerprint.is_empty() {
            Finding::Unknown
        } else if fingerprint == FINGERPRINT_NONE && live.fingerprint() == FINGERPRINT_NONE {
            Finding::Untracked
        } else if live.fingerprint_for(empty_paths) == *fingerprint {
            Finding::InSync
        } else {
            Finding::Drift
        }
    }

    /// Records the fingerprint of an object that equals its manifest (DRIFT-4).
    fn remember_compared(&mut self, live: &Projection, empty_paths: Vec<Vec<String>>) {
        let item = &mut self.item;
        item.fingerprint = live.fingerprint_for(&empty_paths);
        item.empty_paths.clone_from(&empty_paths);
        self.remembered.compared = Some(Compared {
            digest: item.digest.as_str().into(),
            fingerprint: item.fingerprint.as_str().into(),
            empty_paths: empty_paths.into(),
        });
    }

    /// Returns the causes of a drift. A recreation replaces the whole object, so its corrections are spaced for the object as a whole.
    fn causes(&self, object: &DesiredObject, live: &Projection) -> BTreeSet<CorrectionCause> {
        let entry = self.remembered.corrections().filter(|_| object.update != UpdatePolicy::Recreate);
        entry.map_or_else(|| BTreeSet::from([CorrectionCause::Object]), |entry| entry.causes(live))
    }

    /// Returns the next request for a correction, with the note about a fight if it is due.
    fn correction(
        &mut self,
        object: &DesiredObject,
        live: &Projection,
        causes: &BTreeSet<CorrectionCause>,
        context: &PlanContext<'_>,
    ) -> Result<ObjectAction, NeedsManifest> {
        let action = if object.update == UpdatePolicy::Recreate {
            self.delete_live(RequestPurpose::Recreate, &object.gvk, live)
        } else {
            self.update(object, live, context)?
        };
        if causes.is_empty() {
            return Ok(action);
        }
        let corrections = self.remembered.problems_mut().corrections_of(live.uid());
        corrections.decide(live);
        let untold = corrections.untold(causes);
        let is_write = matches!(action.purpose, RequestPurpose::Update | RequestPurpose::Recreate);
        if !is_write || untold.is_empty() {
            return Ok(action);
        }
        let (fields, managers) = fights::named(&untold);
        let note = if fields.is_empty() {
            self.name_the_fighter(object, live, context)?
        } else {
            Some(Note::DriftRepeated { object: object.key.clone(), managers, fields })
        };
        let Some(note) = note else { return Ok(self.read_live(&object.gvk)) };
        if let Some(corrections) = self.remembered.corrections_mut() {
            corrections.tell(&untold, &note.message());
        }
        Ok(ObjectAction { note: Some(note), ..action })
    }

    /// Returns the note that names the competing managers by comparing the whole object. `None` if the whole object must be read first.
    fn name_the_fighter(
        &self,
        object: &DesiredObject,
        live: &Projection,
        context: &PlanContext<'_>,
    ) -> Result<Option<Note>, NeedsManifest> {
        let manifest = object.manifest.as_deref().ok_or(NeedsManifest)?;
        let Some(full) = self.observed.full() else { return Ok(None) };
        let (fields, managers) = contested(manifest, full, &context.engine.context.field_manager);
        let managers = if managers.is_empty() { live.managers().to_owned() } else { managers.join(", ") };
        Ok(Some(Note::DriftRepeated { object: object.key.clone(), managers, fields: fields.join(", ") }))
    }

    /// Returns true if a correction is due. Corrections for one cause are spaced: at once, 10 s, 60 s after the previous one, then only when a
    /// reapply is due (DRIFT-5).
    pub(super) fn may_correct(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>, now: Timestamp) -> bool {
        now >= self.plan_next_correction(object, causes, now)
    }

    /// Returns the time from which the next correction may be sent, and schedules the next pass for it.
    fn plan_next_correction(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>, now: Timestamp) -> Timestamp {
        let next = self.next_correction(object, causes, now);
        self.wake_at(next, now);
        next
    }

    fn next_correction(&self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>, now: Timestamp) -> Timestamp {
        let Some(entry) = self.remembered.corrections() else { return now };
        let applied = self.item.last_applied_at;
        let last = applied.map(Seconds::timestamp).max(entry.last()).unwrap_or(now);
        entry.next(causes, after(last, interval_of(object)))
    }

    /// Records the text about a drift that waits for its correction.
    pub(super) fn tell_pending(
        &mut self,
        object: &DesiredObject,
        fields: &str,
        managers: &str,
        causes: &BTreeSet<CorrectionCause>,
        now: Timestamp,
    ) {
        let next = self.next_correction(object, causes, now);
        if next > now {
            self.remembered.problems_mut().pending = Some(fights::pending(&object.key, fields, managers, next));
        }
    }

    /// Returns true if a reapply is due. After a failed attempt, the next one is due an interval later.
    pub(super) fn is_due(&self, object: &DesiredObject, now: Timestamp) -> bool {
        let tried = self.remembered.corrections().and_then(Corrections::last);
        let passed = |last| has_passed(last, object, now);
        self.item.last_applied_at.is_none_or(|applied| passed(applied.timestamp())) && tried.is_none_or(passed)
    }

    pub(super) fn remember_peace(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>, now: Timestamp) {
        let Some(entry) = self.remembered.corrections_mut() else {
            return;
        };
        let over = entry.look(causes, now, interval_of(object));
        if entry.is_empty() {
            self.remembered.problems_mut().corrections = None;
        }
        // The next pass then reports that the fight is over.
        if let Some(over) = over {
            self.wake_at(over, now);
        }
    }
}

/// Marks a request as a correction.
fn corrective(request: Result<ObjectAction, NeedsManifest>) -> Result<ObjectAction, NeedsManifest> {
    request.map(|action| ObjectAction { corrective: true, ..action })
}

/// Returns true if a reapply interval has passed since an instant.
pub(super) fn has_passed(last: Timestamp, object: &DesiredObject, now: Timestamp) -> bool {
    let passed = u64::try_from(seconds_between(last, now)).unwrap_or(0);
    Duration::from_secs(passed) >= object.reapply_interval
}
