use std::collections::HashMap;

use kubewright_core::dependents;
use kubewright_core::time::Moment;
use kubewright_runtime::controller::Key;
use parking_lot::Mutex;

use super::polling::Polls;
use super::rendering::Rendered;

/// What the process remembers of a component between passes. Losing it costs work, never correctness.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The object that it is about: another one of the same name starts anew.
    pub(crate) uid: String,
    /// What the engine remembers of troublesome dependents.
    pub(crate) engine: dependents::Memory,
    /// The last rendering.
    pub(crate) rendered: Option<Rendered>,
    /// When the status was last written.
    pub(crate) status_written: Option<Moment>,
    /// How often it was looked at in vain.
    pub(crate) polls: Polls,
    /// Whether it was told that renderings differ (once per component and process).
    pub(crate) told_nondeterminism: bool,
    /// Whether it was told that its dependents are abandoned.
    pub(crate) told_abandonment: bool,
}

/// The memories of all components of a type. A pass takes its own out and puts it back.
#[derive(Debug, Default)]
pub(crate) struct Memories(Mutex<HashMap<Key, Memory>>);

impl Memories {
    pub(crate) fn take(&self, key: &Key, uid: &str) -> Memory {
        let memory = self.0.lock().remove(key).unwrap_or_default();
        if memory.uid == uid {
            return memory;
        }
        Memory { uid: uid.to_owned(), ..Memory::default() }
    }

    pub(crate) fn put(&self, key: &Key, memory: Memory) {
        self.0.lock().insert(key.clone(), memory);
    }

    pub(crate) fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}
