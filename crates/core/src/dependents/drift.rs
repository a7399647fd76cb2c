//! Fields of ours that somebody changed, and the forced reapply (10.13).

use std::time::Duration;

use kubewright_machinery::object::ObjectKey;

use super::compare::contested;
use super::memory::{Compared, Corrections};
use super::planner::Planner;
use super::state::{State, seconds_between};
use super::takeover::Comparison;
use super::{DesiredObject, Item, Note, ObjectAction, Phase, Projection, Verb};
use crate::manifest::{ReconcilePolicy, UpdatePolicy};
use crate::seconds::Seconds;

/// After this long in sync, an object counts as peaceful again, in seconds.
const PEACE: i64 = 600;
/// The correction that makes people aware of a fight.
const TOLD_AT: u32 = 2;

/// The pause in seconds after so many corrections; `None`: until a reapply is due (DRIFT-5).
const fn pause_after(corrections: u32) -> Option<i64> {
    match corrections {
        0 | 1 => Some(10),
        2 => Some(60),
        _ => None,
    }
}

/// The time between reapplies of an object, in seconds.
fn interval_of(object: &DesiredObject) -> i64 {
    i64::try_from(object.reapply_interval.as_secs()).unwrap_or(i64::MAX)
}

/// What a look at an object in sync found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    InSync,
    Drift,
    Unknown,
}

impl Planner<'_> {
    /// Corrects objects that were applied before, whatever wave they are in (WAVE-4).
    ///
    /// The state that the waves see: an object that is taken away in order to be created again is not ready.
    pub(super) fn correct(&mut self, object: &DesiredObject, state: State) -> State {
        match state {
            State::InSync { .. } => {}
            State::Changed | State::Unmarked => return self.hold_back(object, state),
            _ => return state,
        }
        let before = self.sends.len();
        self.correct_in_sync(object);
        let recreated = self.sends[before..].iter().any(|action| action.verb == Verb::Recreate);
        if recreated { State::InSync { ready: false } } else { state }
    }

    /// An object of which another program changed our marks after it was applied is written again in growing pauses, and counts as it
    /// is in between (OWN-4, DRIFT-5, DRIFT-7).
    fn hold_back(&mut self, object: &DesiredObject, state: State) -> State {
        let (Some(&place), Some(live)) = (self.index.get(&object.key), self.live(&object.key)) else {
            return state;
        };
        if !self.was_applied(object) || self.check_ownership(object, live).is_err() || self.is_halted(&object.key) {
            return state;
        }
        if let Some(entry) = self.memory.drift.get_mut(&object.key) {
            entry.in_sync_since = None;
        }
        if self.is_due(&self.items[place], object) || self.may_correct(object) {
            return state;
        }
        State::InSync { ready: self.assess_health(place, live) }
    }

    /// Whether the object was applied as it is wanted now.
    pub(super) fn was_applied(&self, object: &DesiredObject) -> bool {
        let item = self.index.get(&object.key).map(|&place| &self.items[place]);
        item.is_some_and(|item| item.is_applied() && item.digest == object.digest)
    }

    /// Whether an object that no watch shows may be there all the same: somebody who changes it again and again took its label.
    pub(super) fn may_be_hidden(&self, key: &ObjectKey) -> bool {
        self.memory.drift.contains_key(key) && !self.observed.read_absent.contains(key)
    }

    /// Whether an object that does not keep our marks may be written again.
    pub(super) fn may_try_again(&mut self, object: &DesiredObject) -> bool {
        let Some(last) = self.unkept(object).map(|entry| entry.last) else {
            return true;
        };
        self.has_passed(last, object) || self.may_correct(object)
    }

    /// When an object that does not keep our marks is written again.
    pub(super) fn next_try(&self, object: &DesiredObject) -> Option<Duration> {
        let entry = self.unkept(object)?;
        let next = Self::after(entry.last, pause_after(entry.count).unwrap_or_else(|| interval_of(object)));
        Duration::try_from(next.duration_since(self.now)).ok()
    }

    /// The corrections of an object that did not keep the marks that it is to have.
    fn unkept(&self, object: &DesiredObject) -> Option<&Corrections> {
        self.memory.drift.get(&object.key).filter(|entry| entry.unkept.as_ref() == Some(&object.digest))
    }

    /// The note about the mark that another program changes, when it is time to tell.
    pub(super) fn tell_of_marks(&mut self, object: &DesiredObject, live: &Projection) -> Option<Note> {
        let owned = self.engine.owns(live);
        let operator = &self.engine.context.operator;
        let fields = if owned { operator.digest_key() } else { operator.owner_key() };
        let entry = self.memory.drift.get_mut(&object.key).filter(|entry| entry.count == TOLD_AT)?;
        let note = Note::DriftRepeated { object: object.key.clone(), managers: live.managers().to_owned(), fields };
        entry.fight = Some(note.message());
        Some(note)
    }

    fn correct_in_sync(&mut self, object: &DesiredObject) {
        let (Some(&place), Some(live)) = (self.index.get(&object.key), self.live(&object.key)) else {
            return;
        };
        let item = &self.items[place];
        let applied = matches!(item.phase, Phase::Creating | Phase::Updating | Phase::Ready);
        if !applied || object.reconcile == ReconcilePolicy::Once || self.wrote(object) {
            return;
        }
        if self.observed.uncorrected.contains(&object.key) {
            self.plan_next_correction(object);
            return;
        }
        if self.observed.unsure.contains(&object.key) {
            let action = self.read_live(&object.gvk, &object.key, true);
            self.send(action);
            return;
        }
        if self.observed.refused_applies.contains_key(&object.key) {
            if let Some(action) = self.repair(object, live) {
                self.send(ObjectAction { corrective: true, ..action });
            }
            return;
        }
        let due = self.is_due(item, object);
        let finding = self.look(object, item, live);
        self.remember_peace(object, finding);
        let wanted = match finding {
            Finding::Drift => due || self.may_correct(object),
            Finding::Unknown if object.update == UpdatePolicy::Recreate => {
                // Nothing is recreated on a suspicion; from now on its fields are known.
                if due {
                    self.items[place].fingerprint = live.fingerprint_for(&[]);
                }
                false
            }
            Finding::Unknown => due && self.must_be_written(object, live),
            // What an earlier operation of ours owns is claimed with the next change: it is as it is wanted (TAKE-2).
            Finding::InSync => due && object.update == UpdatePolicy::SsaOverride && live.reclaim_others,
        };
        if wanted {
            self.send_correction(object, live, finding);
        }
    }

    /// Where the status does not keep fingerprints, the last comparison counts (STA-3).
    fn look(&self, object: &DesiredObject, item: &Item, live: &Projection) -> Finding {
        let compared = self.memory.compared.get(&object.key).filter(|compared| compared.digest == item.digest);
        let (fingerprint, empty_paths) = match compared {
            Some(compared) if item.fingerprint.is_empty() => (&compared.fingerprint, &compared.empty_paths),
            _ => (&item.fingerprint, &item.empty_paths),
        };
        if fingerprint.is_empty() {
            Finding::Unknown
        } else if live.fingerprint_for(empty_paths) == *fingerprint {
            Finding::InSync
        } else {
            Finding::Drift
        }
    }

    /// Whether an object whose fingerprint nobody knows is other than wanted (DRIFT-4). If not, its fields are known from now on.
    fn must_be_written(&mut self, object: &DesiredObject, live: &Projection) -> bool {
        match self.compare_with_live(object, live) {
            Comparison::Changed => return true,
            Comparison::Unknown(question) => {
                self.sends.extend(question.map(|question| ObjectAction { corrective: true, ..question }));
            }
            Comparison::Same(empty_paths) => {
                if let Some(&place) = self.index.get(&object.key) {
                    let item = &mut self.items[place];
                    let fingerprint = live.fingerprint_for(&empty_paths);
                    item.fingerprint.clone_from(&fingerprint);
                    item.empty_paths.clone_from(&empty_paths);
                    let compared = Compared { digest: item.digest.clone(), fingerprint, empty_paths };
                    self.memory.compared.insert(object.key.clone(), compared);
                }
            }
        }
        false
    }

    fn send_correction(&mut self, object: &DesiredObject, live: &Projection, finding: Finding) {
        let action = if object.update == UpdatePolicy::Recreate {
            Some(self.delete_live(Verb::Recreate, &object.gvk, &object.key, live))
        } else {
            self.update(object, live)
        };
        let Some(action) = action else { return };
        let action = ObjectAction { corrective: true, ..action };
        let count = self.memory.drift.get(&object.key).map_or(0, |entry| entry.count);
        let is_write = matches!(action.verb, Verb::Update | Verb::Recreate);
        if !is_write || finding != Finding::Drift || count != TOLD_AT {
            self.send(action);
        } else if let Some(note) = self.name_the_fighter(object, live) {
            if let Some(entry) = self.memory.drift.get_mut(&object.key) {
                entry.fight = Some(note.message());
            }
            self.send(ObjectAction { note: Some(note), ..action });
        } else {
            let read = self.read_live(&object.gvk, &object.key, true);
            self.send(read);
        }
    }

    /// Who changes what, if the whole object is known. A projection does not tell.
    fn name_the_fighter(&mut self, object: &DesiredObject, live: &Projection) -> Option<Note> {
        let Some(manifest) = &object.manifest else {
            self.needs_manifests = true;
            return None;
        };
        let full = self.observed.full(&object.key, live)?;
        let (fields, managers) = contested(manifest, full, &self.engine.context.field_manager);
        let managers = if managers.is_empty() { live.managers().to_owned() } else { managers.join(", ") };
        Some(Note::DriftRepeated { object: object.key.clone(), managers, fields: fields.join(", ") })
    }

    /// Corrections are spaced: at once, 10 s, 60 s after the one before, then only when a reapply is due (DRIFT-5).
    fn may_correct(&mut self, object: &DesiredObject) -> bool {
        if self.memory.drift.get(&object.key).is_none_or(|entry| entry.count == 0) {
            return true;
        }
        self.plan_next_correction(object).is_some_and(|next| self.now >= next)
    }

    /// When the next correction may be sent; `None`: when a reapply is due. Wakes up then.
    fn plan_next_correction(&mut self, object: &DesiredObject) -> Option<jiff::Timestamp> {
        let entry = self.memory.drift.get(&object.key);
        let next = entry.and_then(|entry| Some(Self::after(entry.last, pause_after(entry.count)?)));
        match next {
            Some(next) => self.wake_at(next),
            None => self.plan_next_look(object),
        }
        next
    }

    fn plan_next_look(&mut self, object: &DesiredObject) {
        let applied = self.index.get(&object.key).and_then(|&place| self.items[place].last_applied_at);
        let tried = self.memory.drift.get(&object.key).map(|entry| entry.last);
        if let Some(last) = applied.map(Seconds::timestamp).max(tried) {
            self.wake_at(Self::after(last, interval_of(object)));
        }
    }

    /// Whether a reapply is due. One that was tried in vain is tried again an interval later.
    fn is_due(&self, item: &Item, object: &DesiredObject) -> bool {
        let tried = self.memory.drift.get(&object.key).map(|entry| entry.last);
        let passed = |last| self.has_passed(last, object);
        item.last_applied_at.is_none_or(|applied| passed(applied.timestamp())) && tried.is_none_or(passed)
    }

    fn has_passed(&self, last: jiff::Timestamp, object: &DesiredObject) -> bool {
        let passed = u64::try_from(seconds_between(last, self.now)).unwrap_or(0);
        Duration::from_secs(passed) >= object.reapply_interval
    }

    fn remember_peace(&mut self, object: &DesiredObject, finding: Finding) {
        let now = self.now;
        let Some(entry) = self.memory.drift.get_mut(&object.key) else {
            return;
        };
        let peaceful = entry.in_sync_since.is_some_and(|since| seconds_between(since, now) >= PEACE);
        if peaceful {
            self.memory.drift.remove(&object.key);
        } else if finding == Finding::Drift {
            entry.in_sync_since = None;
        } else {
            let since = *entry.in_sync_since.get_or_insert(now);
            // A fight that was told is told to be over.
            if entry.fight.is_some() {
                self.wake_at(Self::after(since, PEACE));
            }
        }
    }
}
