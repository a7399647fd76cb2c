//! The apply of the wanted set, wave by wave (component.md, 10.8).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kubewright_machinery::object::ObjectKey;

use super::engine::{Engine, is_api_service, is_type};
use super::managed::ManagedIndex;
use super::observe::{NamespaceCreation, ObjectHalt};
use super::order::apply_priority;
use super::planner::Planner;
use super::state::WantedObjectState;
use super::{Desired, DesiredObject, ManagedType, Note, ObjectAction, Phase, Projection, Verb};
use crate::manifest::UpdatePolicy;

/// The number of times that a create is repeated while its type is not served yet (WAVE-8).
const TYPE_RETRIES: u32 = 6;
/// The pause before the first such repetition.
const TYPE_PAUSE: Duration = Duration::from_millis(50);
/// The wait after the last such repetition.
const TYPE_WAIT: Duration = Duration::from_secs(5);

/// The stages of a wave, in the order in which they run (WAVE-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WaveStage {
    Regular,
    Late,
    Managed,
}

/// The objects of a wave by stage and priority, as indexes in the wanted set.
type Wave = BTreeMap<WaveStage, BTreeMap<i8, Vec<usize>>>;

impl Planner<'_> {
    /// Applies the wanted objects, then removes the redundant ones. Returns true if both are complete.
    pub(super) fn apply(&mut self, desired: &Desired) -> bool {
        let objects = desired.objects();
        // Pending completions come before any apply (PURGE-3).
        let purging = self.continue_purge(|item| item.lifecycle.is_none());
        let states: Vec<WantedObjectState> = objects.iter().map(|object| self.assess(object)).collect();
        let managed_types = self.managed_types();
        let managed = index_of(&managed_types);
        let states: Vec<WantedObjectState> =
            objects.iter().zip(states).map(|(object, state)| self.correct(object, state)).collect();
        self.correcting = self.sends.iter().map(|action| action.key.clone()).collect();
        if purging {
            self.wait_for_unready(objects, &states);
            return false;
        }
        if !self.apply_waves(objects, &states, &managed) || self.sends_any() {
            return false;
        }
        self.remove_redundant(&managed)
    }

    /// Applies wave after wave, and starts the purges of each. Returns true if all waves are ready.
    pub(super) fn apply_waves(
        &mut self,
        objects: &[DesiredObject],
        states: &[WantedObjectState],
        managed: &ManagedIndex<'_, ()>,
    ) -> bool {
        let waves = waves(objects, managed);
        let last = waves.keys().next_back().copied();
        let mut applied: Vec<usize> = Vec::with_capacity(objects.len());
        for (order, wave) in &waves {
            if !self.apply_wave(objects, states, wave, managed) {
                self.wait_for_unready(objects, states);
                return false;
            }
            applied.extend(wave.values().flat_map(|stage| stage.values().flatten()));
            if self.start_purge(objects, states, &applied, *order, last == Some(*order)) {
                self.wait_for_unready(objects, states);
                return false;
            }
        }
        true
    }

    /// Returns the types whose objects are managed instances (MAN-1).
    pub(super) fn managed_types(&self) -> Vec<ManagedType> {
        let brought = self.items.iter().flat_map(|item| item.managed_types.iter().cloned());
        brought.chain(self.engine.additional_managed_types.iter().cloned()).collect()
    }

    /// Applies a wave. Returns true if it is ready.
    fn apply_wave(
        &mut self,
        objects: &[DesiredObject],
        states: &[WantedObjectState],
        wave: &Wave,
        managed: &ManagedIndex<'_, ()>,
    ) -> bool {
        for priorities in wave.values() {
            for batch in priorities.values() {
                if !self.apply_batch(objects, states, batch, managed) {
                    return false;
                }
            }
            let pending = priorities.values().flatten().any(|&index| !states[index].is_done());
            if pending {
                return false;
            }
        }
        true
    }

    /// Applies a batch. Returns true if no request of it is left to be sent, so that the next batch may follow.
    fn apply_batch(
        &mut self,
        objects: &[DesiredObject],
        states: &[WantedObjectState],
        batch: &[usize],
        managed: &ManagedIndex<'_, ()>,
    ) -> bool {
        let mut namespaces = BTreeSet::new();
        let mut settled = true;
        for &index in batch {
            let object = &objects[index];
            if self.correcting.contains(&object.key) {
                continue;
            }
            match self.step(object, states[index], managed, &mut namespaces) {
                ObjectStep::Nothing => {}
                ObjectStep::Send(action) => {
                    settled = false;
                    self.send(action);
                }
                ObjectStep::Planned => settled = false,
                ObjectStep::Halt(halt) => {
                    settled = false;
                    self.halts.insert(object.key.clone(), halt);
                }
            }
        }
        settled
    }

    /// Returns the next step for one object of a running stage.
    fn step(
        &mut self,
        object: &DesiredObject,
        state: WantedObjectState,
        managed: &ManagedIndex<'_, ()>,
        namespaces: &mut BTreeSet<String>,
    ) -> ObjectStep {
        if matches!(state, WantedObjectState::Completed | WantedObjectState::Purging | WantedObjectState::InSync { .. }) {
            return ObjectStep::Nothing;
        }
        let key = &object.key;
        if self.is_halted(key) {
            return ObjectStep::Planned;
        }
        if self.observed.dependent(key).results().unsure {
            return ObjectStep::Send(self.read_live(&object.gvk, key, false));
        }
        match (state, self.live(key)) {
            (WantedObjectState::Terminating, Some(live)) => self.bring_back(object, live),
            (WantedObjectState::Changed | WantedObjectState::Unmarked, Some(live)) => self.overwrite(object, state, live),
            _ => self.create_absent(object, managed, namespaces),
        }
    }

    fn create_absent(
        &mut self,
        object: &DesiredObject,
        managed: &ManagedIndex<'_, ()>,
        namespaces: &mut BTreeSet<String>,
    ) -> ObjectStep {
        let key = &object.key;
        if self.wrote(object) {
            return ObjectStep::Halt(self.vanished(object));
        }
        if self.may_be_hidden(key) {
            return ObjectStep::Send(self.read_live(&object.gvk, key, false));
        }
        let namespace = &key.namespace;
        if self.observed.namespace(namespace).creation == Some(NamespaceCreation::Due) {
            if self.brings(namespace) {
                let message = format!("namespace {namespace} has just gone away and comes back with the set");
                return ObjectStep::Halt(ObjectHalt::Wait { message, after: Some(Duration::from_secs(1)) });
            }
            let action = self.create_namespace(namespace);
            return if self.is_halted(&action.key) || !namespaces.insert(namespace.clone()) {
                ObjectStep::Planned
            } else {
                ObjectStep::Send(action)
            };
        }
        let mut pause = Duration::ZERO;
        if let Some((attempts, refusal)) = &self.observed.dependent(key).results().missing_type {
            let message = format!("{}: {refusal}", Engine::title(&object.gvk, key));
            if !managed.contains(&object.gvk) {
                return ObjectStep::Halt(ObjectHalt::Failed { message, code: refusal.code });
            }
            if *attempts > TYPE_RETRIES {
                return ObjectStep::Halt(ObjectHalt::Wait { message, after: Some(TYPE_WAIT) });
            }
            pause = TYPE_PAUSE * 2u32.pow((attempts - 1).min(TYPE_RETRIES));
        }
        match self.create(object) {
            Some(action) => ObjectStep::Send(ObjectAction { after: action.after.max(pause), ..action }),
            None => ObjectStep::Planned,
        }
    }

    /// Returns true if the set contains the namespace and the namespace existed a moment ago. It is then created as an object of the set, not as a
    /// bare namespace.
    fn brings(&self, namespace: &str) -> bool {
        let key = ObjectKey::new("", "Namespace", "", namespace);
        let wanted = self.index.get(&key).is_some_and(|&index| !self.items[index].is_redundant());
        wanted && self.live(&key).is_some_and(|live| self.engine.owns(live))
    }

    fn overwrite(&mut self, object: &DesiredObject, state: WantedObjectState, live: &Projection) -> ObjectStep {
        if let Err(message) = self.check_ownership(object, live) {
            return ObjectStep::Halt(ObjectHalt::owner_conflict(message));
        }
        if self.wrote(object) || !self.may_try_again(object) {
            return ObjectStep::Halt(self.vanished(object));
        }
        let contested = self.was_applied(object);
        let recreates = object.update == UpdatePolicy::Recreate && state == WantedObjectState::Changed;
        // An apply would leave the marks of another operator on the object.
        let is_marked_first =
            !self.engine.owns(live) && (recreates || object.update.is_apply() && live.other_operator().is_some());
        let action = if is_marked_first {
            if self.observed.dependent(&object.key).results().marked {
                return ObjectStep::Halt(self.vanished(object));
            }
            Some(self.take_ownership(&object.gvk, &object.key, live))
        } else if recreates {
            Some(self.delete_live(Verb::Recreate, &object.gvk, &object.key, live))
        } else {
            self.update(object, live)
        };
        let Some(action) = action else { return ObjectStep::Planned };
        let is_last = matches!(action.verb, Verb::Update | Verb::Recreate);
        let note = if contested && is_last { self.tell_of_marks(object, live) } else { None };
        ObjectStep::Send(ObjectAction { note: note.or(action.note), contested, ..action })
    }

    /// Handles a wanted object that is being deleted: it is created again once it is gone. A type may be held by our finalizer (WAVE-5), even if its
    /// label was removed or replaced by another operator's; only this operator removes that finalizer.
    fn bring_back(&mut self, object: &DesiredObject, live: &Projection) -> ObjectStep {
        let is_held = self.engine.owns(live) || live.owner_hash().is_none() || self.check_ownership(object, live).is_ok();
        if !is_type(&object.key) || !is_held || self.observed.dependent(&object.key).results().marked {
            return ObjectStep::Nothing;
        }
        let Some(mut action) = self.release_finalizer(&object.gvk, &object.key, live) else {
            return ObjectStep::Nothing;
        };
        let index = self.index.get(&object.key);
        let recreating =
            index.is_some_and(|&index| self.items[index].phase == Phase::Updating) && object.update == UpdatePolicy::Recreate;
        if !recreating {
            action.note = Some(Note::DependentDeleted { object: object.key.clone() });
        }
        ObjectStep::Send(action)
    }

    fn vanished(&self, object: &DesiredObject) -> ObjectHalt {
        let title = Engine::title(&object.gvk, &object.key);
        let message = format!("object {title} does not stay as it was written; another program changes or deletes it");
        ObjectHalt::Wait { message, after: Some(self.next_try(object).unwrap_or(Duration::from_secs(1))) }
    }

    pub(super) fn wait_for_unready(&mut self, objects: &[DesiredObject], states: &[WantedObjectState]) {
        for (object, state) in objects.iter().zip(states) {
            if !state.is_done() {
                let waiting = self.waiting(object);
                self.waiting.push(waiting);
            }
        }
    }
}

/// The next step for one object.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
enum ObjectStep {
    /// No request; the next batch may follow.
    Nothing,
    /// A request must be sent.
    Send(ObjectAction),
    /// No request, but the next batch must not follow, because a request about the object is planned or failed already.
    Planned,
    /// The object is held back by an obstacle.
    Halt(ObjectHalt),
}

pub(super) fn index_of(types: &[ManagedType]) -> ManagedIndex<'_, ()> {
    let mut index = ManagedIndex::new();
    for managed in types {
        index.insert(managed, ());
    }
    index
}

fn waves(objects: &[DesiredObject], managed: &ManagedIndex<'_, ()>) -> BTreeMap<i16, Wave> {
    let mut waves: BTreeMap<i16, Wave> = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        let stage = if managed.contains(&object.gvk) {
            WaveStage::Managed
        } else if is_api_service(&object.key) {
            WaveStage::Late
        } else {
            WaveStage::Regular
        };
        let priority = apply_priority(&object.gvk.group, &object.gvk.kind);
        let wave = waves.entry(object.apply_order).or_default();
        wave.entry(stage).or_default().entry(priority).or_default().push(index);
    }
    waves
}
