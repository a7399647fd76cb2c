//! The correction of fields of ours that other programs changed, and the forced reapply (component.md, 10.13).

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;

use super::compare::contested;
use super::fights::{self, CorrectionCause, Corrections};
use super::memory::Compared;
use super::planner::Planner;
use super::state::{WantedObjectState, seconds_between};
use super::takeover::Comparison;
use super::{DesiredObject, FINGERPRINT_NONE, Item, Note, ObjectAction, Phase, Projection, Verb};
use crate::manifest::{ReconcilePolicy, UpdatePolicy};
use crate::seconds::Seconds;

/// Returns the time between reapplies of an object, in seconds.
fn interval_of(object: &DesiredObject) -> i64 {
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

impl Planner<'_> {
    /// Corrects objects that were applied before, in whatever wave they are (WAVE-4).
    ///
    /// Returns the state for the waves: an object that is deleted in order to be created again counts as not ready.
    pub(super) fn correct(&mut self, object: &DesiredObject, state: WantedObjectState) -> WantedObjectState {
        match state {
            WantedObjectState::InSync { .. } => {}
            WantedObjectState::Changed | WantedObjectState::Unmarked => return self.hold_back(object, state),
            _ => return state,
        }
        let before = self.sends.len();
        self.correct_in_sync(object);
        let recreated = self.sends[before..].iter().any(|action| action.verb == Verb::Recreate);
        if recreated { WantedObjectState::InSync { ready: false } } else { state }
    }

    /// Delays the next write of an applied object whose marks another program changed. The pauses grow, and in between the object counts with its
    /// present health (OWN-4, DRIFT-5, DRIFT-7).
    fn hold_back(&mut self, object: &DesiredObject, state: WantedObjectState) -> WantedObjectState {
        let (Some(&index), Some(live)) = (self.index.get(&object.key), self.live(&object.key)) else {
            return state;
        };
        if !self.was_applied(object) || self.check_ownership(object, live).is_err() || self.is_halted(&object.key) {
            return state;
        }
        let causes = BTreeSet::from([CorrectionCause::Marks]);
        self.remember_peace(object, &causes);
        if self.is_due(&self.items[index], object) || self.may_correct(object, &causes) {
            return state;
        }
        let fields = if self.engine.owns(live) { self.digest_field() } else { self.owner_field() };
        self.tell_pending(object, &fields, live.managers(), &causes);
        WantedObjectState::InSync { ready: self.assess_health(index, live) }
    }

    fn digest_field(&self) -> String {
        format!("annotation {}", self.engine.context.operator.digest_key())
    }

    fn owner_field(&self) -> String {
        format!("label {}", self.engine.context.operator.owner_key())
    }

    /// Returns true if the object was applied in its current form.
    pub(super) fn was_applied(&self, object: &DesiredObject) -> bool {
        let item = self.index.get(&object.key).map(|&index| &self.items[index]);
        item.is_some_and(|item| item.is_applied() && item.digest == object.digest)
    }

    /// Returns true if an object that no watch shows may exist nevertheless, because a program that changes it repeatedly may have removed its label.
    pub(super) fn may_be_hidden(&self, key: &ObjectKey) -> bool {
        let is_remembered = {
            let problems = self.memory.problems_of(key);
            problems.corrections.is_some() || problems.met
        };
        is_remembered && !self.observed.dependent(key).results().read_absent
    }

    /// Returns true if an object that does not keep our marks may be written again now.
    pub(super) fn may_try_again(&mut self, object: &DesiredObject) -> bool {
        let Some((_, last)) = self.unkept(object) else {
            return true;
        };
        self.has_passed(last, object) || self.may_correct(object, &BTreeSet::from([CorrectionCause::Marks]))
    }

    /// Returns the time until an object that does not keep our marks is written again.
    pub(super) fn next_try(&self, object: &DesiredObject) -> Option<Duration> {
        let (next, last) = self.unkept(object)?;
        let next = next.unwrap_or_else(|| Self::after(last, interval_of(object)));
        Duration::try_from(next.duration_since(self.now)).ok()
    }

    /// Returns the next and the last write of an object that did not keep the marks of its current form.
    fn unkept(&self, object: &DesiredObject) -> Option<(Option<Timestamp>, Timestamp)> {
        self.memory
            .problems_of(&object.key)
            .corrections
            .as_ref()
            .filter(|entry| entry.unkept.as_ref() == Some(&object.digest))?
            .marks()
    }

    /// Returns the note about marks that another program changes, if it is due.
    pub(super) fn tell_of_marks(&mut self, object: &DesiredObject, live: &Projection) -> Option<Note> {
        let fields = if self.engine.owns(live) { self.digest_field() } else { self.owner_field() };
        let entry = self.memory.corrections_mut(&object.key)?;
        let untold = entry.untold(&BTreeSet::from([CorrectionCause::Marks]));
        if untold.is_empty() {
            return None;
        }
        let note = Note::DriftRepeated { object: object.key.clone(), managers: live.managers().to_owned(), fields };
        entry.tell(&untold, &note.message());
        Some(note)
    }

    fn correct_in_sync(&mut self, object: &DesiredObject) {
        let (Some(&index), Some(live)) = (self.index.get(&object.key), self.live(&object.key)) else {
            return;
        };
        let item = &self.items[index];
        let applied = matches!(item.phase, Phase::Creating | Phase::Updating | Phase::Ready);
        if !applied || object.reconcile == ReconcilePolicy::Once {
            return;
        }
        if self.wrote(object) {
            self.remember_peace(object, &BTreeSet::new());
            return;
        }
        if self.observed.dependent(&object.key).results().uncorrected {
            let causes = BTreeSet::from([CorrectionCause::Object]);
            self.plan_next_correction(object, &causes);
            self.tell_pending(object, "", live.managers(), &causes);
            return;
        }
        if self.observed.dependent(&object.key).results().unsure {
            let action = self.read_live(&object.gvk, &object.key, true);
            self.send(action);
            return;
        }
        if self.observed.dependent(&object.key).results().refused_apply {
            if let Some(action) = self.repair(object, live) {
                self.send(ObjectAction { corrective: true, ..action });
            }
            return;
        }
        let due = self.is_due(item, object);
        let finding = self.look(object, item, live);
        let causes = if finding == Finding::Drift { self.causes(object, live) } else { BTreeSet::new() };
        self.remember_peace(object, &causes);
        let wanted = match finding {
            Finding::Drift => due || self.may_correct(object, &causes),
            Finding::Unknown if object.update == UpdatePolicy::Recreate => {
                // An object is not recreated on suspicion; its fields count as known from now on.
                if due {
                    let item = &mut self.items[index];
                    item.fingerprint = live.fingerprint_for(&[]);
                    item.last_applied_at.get_or_insert_with(|| Seconds::from(self.now));
                }
                false
            }
            Finding::Unknown => due && self.must_be_written(object, live),
            // The fingerprint shows no change, so the object is written whenever a reapply is due (DRIFT-4).
            Finding::Untracked => due && object.update != UpdatePolicy::Recreate,
            // The object is as wanted; fields that an earlier operation of ours owns are claimed with the next change (TAKE-2).
            Finding::InSync => due && object.update == UpdatePolicy::SsaOverride && live.reclaim_others,
        };
        if wanted {
            self.send_correction(object, live, &causes);
        } else if finding == Finding::Drift {
            let (fields, managers) = fights::named(&causes.iter().cloned().collect::<Vec<_>>());
            let managers = if managers.is_empty() { live.managers().to_owned() } else { managers };
            self.tell_pending(object, &fields, &managers, &causes);
        }
    }

    /// Compares the live fingerprint with the known one. If the status does not keep fingerprints, the last comparison provides it (STA-3).
    fn look(&self, object: &DesiredObject, item: &Item, live: &Projection) -> Finding {
        let compared = self.memory.compared(&object.key).filter(|compared| *compared.digest == *item.digest);
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

    /// Returns true if an object with an unknown fingerprint differs from its manifest (DRIFT-4). If it does not, its fingerprint is known from now
    /// on.
    fn must_be_written(&mut self, object: &DesiredObject, live: &Projection) -> bool {
        match self.compare_with_live(object, live) {
            Comparison::Changed => return true,
            Comparison::Unknown(question) => {
                self.sends.extend(question.map(|question| ObjectAction { corrective: true, ..question }));
            }
            Comparison::Same(empty_paths) => {
                if let Some(&index) = self.index.get(&object.key) {
                    let item = &mut self.items[index];
                    let fingerprint = live.fingerprint_for(&empty_paths);
                    item.fingerprint.clone_from(&fingerprint);
                    item.empty_paths.clone_from(&empty_paths);
                    let (digest, fingerprint) = (item.digest.as_str().into(), fingerprint.into());
                    let compared = Compared { digest, fingerprint, empty_paths: empty_paths.into() };
                    self.memory.remember_compared(&object.key, compared);
                }
            }
        }
        false
    }

    /// Returns the causes of a drift. A recreation replaces the whole object, so its corrections are spaced for the object as a whole.
    fn causes(&self, object: &DesiredObject, live: &Projection) -> BTreeSet<CorrectionCause> {
        let entry = self.memory.problems_of(&object.key).corrections.as_ref().filter(|_| object.update != UpdatePolicy::Recreate);
        entry.map_or_else(|| BTreeSet::from([CorrectionCause::Object]), |entry| entry.causes(live))
    }

    fn send_correction(&mut self, object: &DesiredObject, live: &Projection, causes: &BTreeSet<CorrectionCause>) {
        let action = if object.update == UpdatePolicy::Recreate {
            Some(self.delete_live(Verb::Recreate, &object.gvk, &object.key, live))
        } else {
            self.update(object, live)
        };
        let Some(action) = action else { return };
        let action = ObjectAction { corrective: true, ..action };
        let mut untold = Vec::new();
        if !causes.is_empty() {
            untold = self.memory.update(&object.key, |problems| {
                let corrections = problems.corrections_of(live.uid());
                corrections.decide(live);
                corrections.untold(causes)
            });
        }
        let is_write = matches!(action.verb, Verb::Update | Verb::Recreate);
        if !is_write || untold.is_empty() {
            self.send(action);
            return;
        }
        let (fields, managers) = fights::named(&untold);
        let note = if fields.is_empty() {
            self.name_the_fighter(object, live)
        } else {
            Some(Note::DriftRepeated { object: object.key.clone(), managers, fields })
        };
        if let Some(note) = note {
            if let Some(entry) = self.memory.corrections_mut(&object.key) {
                entry.tell(&untold, &note.message());
            }
            self.send(ObjectAction { note: Some(note), ..action });
        } else {
            let read = self.read_live(&object.gvk, &object.key, true);
            self.send(read);
        }
    }

    /// Returns the note that names the competing managers by comparing the whole object. `None` if the manifest or the whole object must be read
    /// first.
    fn name_the_fighter(&mut self, object: &DesiredObject, live: &Projection) -> Option<Note> {
        let Some(manifest) = &object.manifest else {
            self.needs_manifests = true;
            return None;
        };
        let full = self.observed.dependent(&object.key).full()?;
        let (fields, managers) = contested(manifest, full, &self.engine.context.field_manager);
        let managers = if managers.is_empty() { live.managers().to_owned() } else { managers.join(", ") };
        Some(Note::DriftRepeated { object: object.key.clone(), managers, fields: fields.join(", ") })
    }

    /// Returns true if a correction is due. Corrections for one cause are spaced: at once, 10 s, 60 s after the previous one, then only when a
    /// reapply is due (DRIFT-5).
    fn may_correct(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>) -> bool {
        let next = self.plan_next_correction(object, causes);
        self.now >= next
    }

    /// Returns the time from which the next correction may be sent, and schedules the next pass for it.
    fn plan_next_correction(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>) -> Timestamp {
        let next = self.next_correction(&object.key, object, causes);
        self.wake_at(next);
        next
    }

    fn next_correction(&self, key: &ObjectKey, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>) -> Timestamp {
        let Some(entry) = &self.memory.problems_of(key).corrections else { return self.now };
        let applied = self.index.get(key).and_then(|&index| self.items[index].last_applied_at);
        let last = applied.map(Seconds::timestamp).max(entry.last()).unwrap_or(self.now);
        entry.next(causes, Self::after(last, interval_of(object)))
    }

    /// Records the text about a drift that waits for its correction.
    fn tell_pending(&mut self, object: &DesiredObject, fields: &str, managers: &str, causes: &BTreeSet<CorrectionCause>) {
        let next = self.next_correction(&object.key, object, causes);
        if next <= self.now {
            return;
        }
        let text = fights::pending(&object.key, fields, managers, next);
        self.memory.update(&object.key, |problems| problems.pending = Some(text));
    }

    /// Returns true if a reapply is due. After a failed attempt, the next one is due an interval later.
    fn is_due(&self, item: &Item, object: &DesiredObject) -> bool {
        let tried = self.memory.problems_of(&object.key).corrections.as_ref().and_then(Corrections::last);
        let passed = |last| self.has_passed(last, object);
        item.last_applied_at.is_none_or(|applied| passed(applied.timestamp())) && tried.is_none_or(passed)
    }

    fn has_passed(&self, last: Timestamp, object: &DesiredObject) -> bool {
        let passed = u64::try_from(seconds_between(last, self.now)).unwrap_or(0);
        Duration::from_secs(passed) >= object.reapply_interval
    }

    fn remember_peace(&mut self, object: &DesiredObject, causes: &BTreeSet<CorrectionCause>) {
        let Some(entry) = self.memory.corrections_mut(&object.key) else {
            return;
        };
        let over = entry.look(causes, self.now, interval_of(object));
        if entry.is_empty() {
            self.memory.update(&object.key, |problems| problems.corrections = None);
        }
        // The next pass then reports that the fight is over.
        if let Some(over) = over {
            self.wake_at(over);
        }
    }
}
