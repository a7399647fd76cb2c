//! The apply of the wanted set, wave by wave (component.md, 10.8).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kubewright_machinery::object::ObjectKey;

use super::ManagedTypePattern;
use super::dependent::Dependent;
use super::engine::is_api_service;
use super::managed::ManagedIndex;
use super::observe::ObjectHalt;
use super::order::apply_priority;
use super::planner::Planner;
use super::wave_step::ObjectStep;
use super::write::create_namespace;

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
    pub(super) fn apply(&mut self, wanted: &[usize]) -> bool {
        // Pending completions come before any apply (PURGE-3).
        let purging = self.continue_purge(|item| item.lifecycle.is_none());
        self.assess(wanted);
        let managed_types = self.managed_types();
        let managed = index_of(&managed_types);
        for &index in wanted {
            self.correct(index);
        }
        if purging {
            self.wait_for_unready(wanted);
            return false;
        }
        if !self.apply_waves(wanted, &managed) || self.sends_any() {
            return false;
        }
        self.remove_redundant(&managed)
    }

    /// Determines the states of wanted objects.
    pub(super) fn assess(&mut self, wanted: &[usize]) {
        let context = self.context;
        for &index in wanted {
            let Some((dependent, object)) = self.wanted(index) else { continue };
            let assessment = dependent.assess(object, &context);
            dependent.take_in_assessment(&assessment, context.now);
        }
    }

    /// Sends the correction of an object, if one is due.
    fn correct(&mut self, index: usize) {
        let context = self.context;
        let Some((dependent, object)) = self.wanted(index) else { return };
        if let Some(request) = dependent.correct(object, &context) {
            dependent.correcting = request.is_ok();
            self.send_result(request);
        }
    }

    /// Applies wave after wave, and starts the purges of each. Returns true if all waves are ready.
    pub(super) fn apply_waves(&mut self, wanted: &[usize], managed: &ManagedIndex<'_, ()>) -> bool {
        let waves = self.waves(wanted, managed);
        let last = waves.keys().next_back().copied();
        let mut applied: Vec<usize> = Vec::with_capacity(wanted.len());
        for (order, wave) in &waves {
            if !self.apply_wave(wave, managed) {
                self.wait_for_unready(wanted);
                return false;
            }
            applied.extend(wave.values().flat_map(|stage| stage.values().flatten()));
            if self.start_purge(&applied, *order, last == Some(*order)) {
                self.wait_for_unready(wanted);
                return false;
            }
        }
        true
    }

    /// Returns the types whose objects are managed instances (MAN-1).
    pub(super) fn managed_types(&self) -> Vec<ManagedTypePattern> {
        let brought = self.dependents.iter().flat_map(|dependent| dependent.item.managed_types.iter().cloned());
        brought.chain(self.context.engine.additional_managed_types.iter().cloned()).collect()
    }

    /// Applies a wave. Returns true if it is ready.
    fn apply_wave(&mut self, wave: &Wave, managed: &ManagedIndex<'_, ()>) -> bool {
        for priorities in wave.values() {
            for batch in priorities.values() {
                if !self.apply_batch(batch, managed) {
                    return false;
                }
            }
            if priorities.values().flatten().any(|&index| !self.dependents[index].state.is_done()) {
                return false;
            }
        }
        true
    }

    /// Applies a batch. Returns true if no request of it is left to be sent, so that the next batch may follow.
    fn apply_batch(&mut self, batch: &[usize], managed: &ManagedIndex<'_, ()>) -> bool {
        let context = self.context;
        let mut namespaces = BTreeSet::new();
        let mut settled = true;
        for &index in batch {
            let Some((dependent, object)) = self.wanted(index) else { continue };
            if dependent.correcting {
                continue;
            }
            let step = dependent.next_step(object, managed, &context);
            settled &= matches!(step, ObjectStep::Nothing);
            match step {
                ObjectStep::Nothing | ObjectStep::Planned => {}
                ObjectStep::Send(request) => self.send_result(request),
                ObjectStep::CreateNamespace => {
                    let is_first = namespaces.insert(&object.key.namespace);
                    self.create_namespace(index, &object.key.namespace, is_first);
                }
                ObjectStep::Halt(halt) => dependent.halt = Some(halt),
            }
        }
        settled
    }

    /// Creates the namespace of a wanted object, unless the set contains the namespace and the namespace existed a moment ago. It is then created as
    /// an object of the set, not as a bare namespace.
    fn create_namespace(&mut self, index: usize, name: &str, is_first: bool) {
        let key = ObjectKey::new("", "Namespace", "", name);
        let namespace = self.index.get(&key).map(|&index| &self.dependents[index]);
        let is_halted = namespace.map_or_else(|| self.context.is_halted(&key), Dependent::is_halted);
        if namespace.is_some_and(|namespace| namespace.is_wanted_and_ours(self.context.engine)) {
            let message = format!("namespace {name} has just gone away and comes back with the set");
            self.dependents[index].halt = Some(ObjectHalt::Wait { message, after: Some(Duration::from_secs(1)) });
        } else if is_first && !is_halted {
            self.send(create_namespace(name, &self.context));
        }
    }

    pub(super) fn wait_for_unready(&mut self, wanted: &[usize]) {
        let unready = wanted.iter().map(|&index| &self.dependents[index]).filter(|dependent| !dependent.state.is_done());
        self.waiting.extend(unready.map(Dependent::waiting));
    }

    fn waves(&self, wanted: &[usize], managed: &ManagedIndex<'_, ()>) -> BTreeMap<i16, Wave> {
        let mut waves: BTreeMap<i16, Wave> = BTreeMap::new();
        for &index in wanted {
            let Some(object) = self.dependents[index].desired else { continue };
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
}

pub(super) fn index_of(types: &[ManagedTypePattern]) -> ManagedIndex<'_, ()> {
    let mut index = ManagedIndex::new();
    for managed in types {
        index.insert(managed, ());
    }
    index
}
