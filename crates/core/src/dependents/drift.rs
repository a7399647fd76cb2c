//! Fields of ours that somebody changed, and the forced reapply (10.13).

use std::time::Duration;

use super::compare::contested;
use super::planner::Planner;
use super::state::{State, seconds_between};
use super::takeover::Comparison;
use super::{DesiredObject, Item, Note, ObjectAction, Phase, Projection, Verb};
use crate::manifest::{ReconcilePolicy, UpdatePolicy};

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
        let State::InSync { .. } = state else {
            return state;
        };
        let before = self.sends.len();
        self.correct_in_sync(object);
        let recreated = self.sends[before..].iter().any(|action| action.verb == Verb::Recreate);
        if recreated { State::InSync { ready: false } } else { state }
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
        let due = is_reapply_due(item, object, self.now);
        let finding = look(item, live);
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

    /// Whether an object whose fingerprint nobody knows is other than wanted (DRIFT-4). If not, its fields are known from now on.
    fn must_be_written(&mut self, object: &DesiredObject, live: &Projection) -> bool {
        match self.compare_with_live(object, live) {
            Comparison::Changed => return true,
            Comparison::Unknown(question) => {
                self.sends.extend(question.map(|question| ObjectAction { corrective: true, ..question }));
            }
            Comparison::Same(empty_paths) => {
                if let Some(&place) = self.index.get(&object.key) {
                    self.items[place].fingerprint = live.fingerprint_for(&empty_paths);
                    self.items[place].empty_paths = empty_paths;
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
        if let Some(applied) = applied {
            let interval = i64::try_from(object.reapply_interval.as_secs()).unwrap_or(i64::MAX);
            self.wake_at(Self::after(applied.timestamp(), interval));
        }
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

fn look(item: &Item, live: &Projection) -> Finding {
    if item.fingerprint.is_empty() {
        Finding::Unknown
    } else if live.fingerprint_for(&item.empty_paths) == item.fingerprint {
        Finding::InSync
    } else {
        Finding::Drift
    }
}

fn is_reapply_due(item: &Item, object: &DesiredObject, now: jiff::Timestamp) -> bool {
    let Some(applied) = item.last_applied_at else {
        return true;
    };
    let passed = u64::try_from(seconds_between(applied.timestamp(), now)).unwrap_or(0);
    Duration::from_secs(passed) >= object.reapply_interval
}
