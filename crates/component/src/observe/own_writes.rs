//! Own writes to components, and the events about them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kubewright_core::why::{ChangedPaths, ObjectChange, ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use serde_json::Value;

use super::Notify;
use super::components::shared_state;

/// The writes of this process to components. A watch may report a write before its answer arrives, and only the answer shows that the new state
/// is an own one. Until then, changes that may stem from the write are held back (TRG-1).
#[derive(Clone)]
pub(crate) struct OwnWrites {
    inner: Arc<SharedOwnWrites>,
}

struct SharedOwnWrites {
    /// The kind of the components.
    kind: Arc<GroupKind>,
    notify: Notify,
    components: Mutex<HashMap<Key, ComponentWrites>>,
}

/// The writes on one component. States are digests of the fields that this process changes too.
#[derive(Debug, Default)]
struct ComponentWrites {
    /// The state after the last write.
    last: Option<u64>,
    /// The states that events showed while a write is underway. `None` if none is.
    held: Option<Vec<u64>>,
    /// Set when the component was deleted while a write to it was underway. The entry is removed with the answer to that write.
    gone: bool,
}

impl fmt::Debug for OwnWrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnWrites").field("components", &self.inner.components.lock().len()).finish()
    }
}

impl OwnWrites {
    /// Creates the registry. `notify` queues a pass of a component that turns out to have been changed by another program.
    pub(crate) fn new(kind: GroupKind, notify: Notify) -> Self {
        Self { inner: Arc::new(SharedOwnWrites { kind: Arc::new(kind), notify, components: Mutex::default() }) }
    }

    /// Notes that a write is about to be sent. It is underway until the guard is dropped.
    pub(crate) fn begin(&self, key: &Key) -> Underway {
        let mut components = self.inner.components.lock();
        let writes = components.entry(key.clone()).or_default();
        writes.held = Some(Vec::new());
        writes.gone = false;
        Underway { writes: self.clone(), key: key.clone(), answer: None }
    }

    /// Returns true if an event that shows this state needs no pass: this process wrote the state, or may turn out to have written it.
    pub(crate) fn explain(&self, key: &Key, state: u64) -> bool {
        let mut components = self.inner.components.lock();
        let Some(writes) = components.get_mut(key) else { return false };
        if writes.last == Some(state) {
            return true;
        }
        match &mut writes.held {
            Some(held) => {
                held.push(state);
                true
            }
            None => false,
        }
    }

    /// Forgets a component that is gone. While a write is underway, this is postponed until its answer.
    pub(crate) fn forget(&self, key: &Key) {
        let mut components = self.inner.components.lock();
        match components.get_mut(key) {
            Some(writes) if writes.held.is_some() => writes.gone = true,
            _ => drop(components.remove(key)),
        }
    }

    fn end(&self, key: &Key, answer: Option<u64>) {
        let held = {
            let mut components = self.inner.components.lock();
            let Some(writes) = components.get_mut(key) else { return };
            writes.last = answer.or(writes.last);
            let held = writes.held.take().unwrap_or_default();
            if writes.gone {
                components.remove(key);
            }
            held
        };
        if held.into_iter().any(|state| Some(state) != answer) {
            // Changes by other programs in the meantime are known as digests only.
            let what = ObjectChangeKind::Changed(ChangedPaths::default());
            let change = ObjectChange { kind: Arc::clone(&self.inner.kind), key: key.clone(), what, by: None, own: false };
            (self.inner.notify)(key, QueuedBy::Changed(Arc::new(change)));
        }
    }
}

/// A write that is underway.
#[must_use]
pub(crate) struct Underway {
    writes: OwnWrites,
    key: Key,
    answer: Option<u64>,
}

impl Underway {
    /// Notes the component that the server returned. The answer must be in the store before the guard is dropped.
    pub(crate) fn answered(&mut self, component: &Value) {
        self.answer = Some(shared_state(component));
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.writes.end(&self.key, self.answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Scene {
        writes: OwnWrites,
        queued: Arc<Mutex<Vec<Key>>>,
        key: Key,
    }

    /// Returns a component in a state, and the digest of the state.
    fn state(phase: &str) -> (Value, u64) {
        let component = json!({ "status": { "state": phase } });
        let digest = shared_state(&component);
        (component, digest)
    }

    fn scene() -> Scene {
        let queued = Arc::new(Mutex::new(Vec::new()));
        let queue = Arc::clone(&queued);
        Scene {
            writes: OwnWrites::new(
                GroupKind::new("example.com", "Thing"),
                Arc::new(move |key: &Key, _| queue.lock().push(key.clone())),
            ),
            queued,
            key: Key::new("demo", "a"),
        }
    }

    // TRG-1
    #[test]
    fn an_event_about_an_own_write_that_comes_before_its_answer_queues_no_pass() {
        let Scene { writes, queued, key } = scene();
        let (component, state) = state("Ready");
        let mut underway = writes.begin(&key);
        assert!(writes.explain(&key, state));
        underway.answered(&component);
        drop(underway);
        assert!(writes.explain(&key, state), "nor does one that is looked at later");
        assert_eq!(*queued.lock(), []);
    }

    // TRG-1
    #[test]
    fn a_foreign_change_that_comes_while_a_write_is_underway_queues_a_pass_when_the_answer_is_there() {
        let Scene { writes, queued, key } = scene();
        let (component, own) = state("Ready");
        let (_, foreign) = state("Error");
        let mut underway = writes.begin(&key);
        assert!(writes.explain(&key, foreign) && writes.explain(&key, own));
        underway.answered(&component);
        assert_eq!(*queued.lock(), []);
        drop(underway);
        assert_eq!(*queued.lock(), std::slice::from_ref(&key));
        assert!(!writes.explain(&key, foreign));
    }

    // TRG-1
    #[test]
    fn an_event_held_back_for_a_failed_write_queues_a_pass() {
        let Scene { writes, queued, key } = scene();
        let underway = writes.begin(&key);
        assert!(writes.explain(&key, 1));
        drop(underway);
        assert_eq!(*queued.lock(), std::slice::from_ref(&key));
        drop(writes.begin(&key));
        assert_eq!(queued.lock().len(), 1, "nothing was held back");
    }

    #[test]
    fn a_component_that_is_gone_is_forgotten() {
        let Scene { writes, key, .. } = scene();
        let (component, state) = state("Ready");
        let mut underway = writes.begin(&key);
        underway.answered(&component);
        // The event of the deletion comes before the answer to the write that removed the finalizer.
        writes.forget(&key);
        drop(underway);
        assert!(writes.inner.components.lock().is_empty());
        let mut underway = writes.begin(&key);
        underway.answered(&component);
        drop(underway);
        assert!(writes.explain(&key, state));
        writes.forget(&key);
        assert!(writes.inner.components.lock().is_empty());
    }
}
