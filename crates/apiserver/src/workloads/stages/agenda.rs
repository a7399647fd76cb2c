//! The agenda: objects to evaluate now and later.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::store::ObjectRef;

/// The objects that changed, and the objects with a planned evaluation, each once.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    state: Mutex<AgendaState>,
}

#[derive(Clone, Debug, Default)]
struct AgendaState {
    now: BTreeSet<ObjectRef>,
    later: BTreeSet<(Duration, ObjectRef)>,
    planned: BTreeMap<ObjectRef, Duration>,
    /// The objects that are not evaluated before their planned time.
    resting: BTreeSet<ObjectRef>,
    nodes_changed: bool,
    /// The namespaces in which the input of autoscalers and disruption budgets may have changed.
    namespaces: BTreeSet<Arc<str>>,
}

impl Clone for Agenda {
    fn clone(&self) -> Self {
        Self { state: Mutex::new(self.state.lock().clone()) }
    }
}

impl Agenda {
    /// Adds an object to the next round, which also plans its next evaluation anew; a resting object keeps its planned time.
    pub(super) fn add(&self, object: ObjectRef) {
        let mut state = self.state.lock();
        if state.resting.contains(&object) {
            return;
        }
        state.forget(&object);
        state.now.insert(object);
    }

    /// Plans the evaluation of an object at that moment.
    pub(super) fn add_at(&self, object: ObjectRef, moment: Duration) {
        let mut state = self.state.lock();
        state.forget(&object);
        state.planned.insert(object.clone(), moment);
        state.later.insert((moment, object));
    }

    /// Prevents the evaluation of an object before that moment, whatever happens to it.
    pub(super) fn rest(&self, object: ObjectRef, until: Duration) {
        self.add_at(object.clone(), until);
        self.state.lock().resting.insert(object);
    }

    /// Takes all objects that are due.
    pub(super) fn take(&self, moment: Duration) -> Vec<ObjectRef> {
        let mut state = self.state.lock();
        while let Some((due, object)) = state.later.first().filter(|(due, _)| *due <= moment).cloned() {
            state.later.remove(&(due, object.clone()));
            state.planned.remove(&object);
            state.resting.remove(&object);
            state.now.insert(object);
        }
        std::mem::take(&mut state.now).into_iter().collect()
    }

    /// Returns true if any object is due.
    pub(super) fn is_due(&self, moment: Duration) -> bool {
        let state = self.state.lock();
        let later = state.later.first().is_some_and(|(due, _)| *due <= moment);
        later || !state.now.is_empty() || state.nodes_changed || !state.namespaces.is_empty()
    }

    /// Returns the time at which the next planned object is due.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.state.lock().later.first().map(|(due, _)| *due)
    }

    /// Notes that workloads or pods of the namespace have changed.
    pub(super) fn namespace_changed(&self, namespace: &Arc<str>) {
        self.state.lock().namespaces.insert(namespace.clone());
    }

    /// Takes the namespaces in which workloads or pods have changed since the last call.
    pub(super) fn take_namespaces(&self) -> BTreeSet<Arc<str>> {
        std::mem::take(&mut self.state.lock().namespaces)
    }

    pub(super) fn nodes_changed(&self) {
        self.state.lock().nodes_changed = true;
    }

    /// Returns true if nodes have changed since the last call.
    pub(super) fn take_nodes_changed(&self) -> bool {
        std::mem::take(&mut self.state.lock().nodes_changed)
    }
}

impl AgendaState {
    fn forget(&mut self, object: &ObjectRef) {
        if let Some(moment) = self.planned.remove(object) {
            self.later.remove(&(moment, object.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ObjectName, Resource};

    fn object(name: &str) -> ObjectRef {
        ObjectRef { resource: Resource::new("", "pods"), name: ObjectName::new("n", name) }
    }

    // STG-2
    #[test]
    fn an_object_waits_for_its_moment_and_a_change_comes_first() {
        let agenda = Agenda::default();
        agenda.add_at(object("a"), Duration::from_secs(5));
        agenda.add_at(object("a"), Duration::from_secs(9));
        agenda.add_at(object("b"), Duration::from_secs(7));
        assert_eq!(agenda.next_due(), Some(Duration::from_secs(7)));
        agenda.add(object("b"));
        assert_eq!(agenda.take(Duration::ZERO), [object("b")]);
        assert_eq!(agenda.take(Duration::from_secs(8)), []);
        assert_eq!(agenda.take(Duration::from_secs(9)), [object("a")]);
        assert_eq!(agenda.next_due(), None);
    }
}
