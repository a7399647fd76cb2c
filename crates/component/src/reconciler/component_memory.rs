//! The memory of the process about components between passes.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use kubewright_core::backoff::TransientBackoff;
use kubewright_core::dependents;
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;
use parking_lot::Mutex;

use super::kept_rendering::Rendered;
use super::unwatched_kinds::UnchangedPolls;

/// The memory of the process about a component between passes. Its loss costs work, never correctness.
#[derive(Debug, Default)]
pub(crate) struct ComponentMemory {
    /// The UID of the object. An object with the same name and another UID starts with an empty memory.
    pub(crate) uid: String,
    /// The engine's memory about dependents with problems.
    pub(crate) engine: dependents::Memory,
    /// The last rendering.
    pub(crate) rendered: Option<Rendered>,
    /// The time when the status was last written.
    pub(crate) status_written: Option<Moment>,
    /// The back-off after transient errors.
    pub(crate) transient: TransientBackoff,
    /// The number of checks that found no change.
    pub(crate) polls: UnchangedPolls,
    /// The code of the operator's author that is running, which is where a pass that does not end hangs.
    pub(crate) inside: Option<&'static str>,
    /// True once differing renderings were reported (once per component and process).
    pub(crate) told_nondeterminism: bool,
    /// The warnings of the last rendering.
    pub(crate) told_warnings: Vec<String>,
    /// The last report about namespaces of cluster-scoped objects.
    pub(crate) told_ignored_namespaces: Option<String>,
    /// True once the abandonment of the dependents was reported.
    pub(crate) told_abandonment: bool,
    /// True once it was reported that the objects of deletion stages are left out.
    pub(crate) told_skipped_hooks: bool,
}

/// The memories of all components of a type. A pass takes the memory of its component out and returns it at its end.
#[derive(Debug, Default)]
pub(crate) struct Memories(Mutex<HashMap<Key, ComponentMemory>>);

impl Memories {
    pub(crate) fn take<'a>(&'a self, key: &'a Key, uid: &str) -> Taken<'a> {
        let known = self.0.lock().remove(key).filter(|memory| memory.uid == uid);
        let memory = known.unwrap_or_else(|| ComponentMemory { uid: uid.to_owned(), ..ComponentMemory::default() });
        Taken { memories: self, key, memory }
    }

    pub(crate) fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

/// The memory of a component during a pass. It is kept even if the pass panics.
#[derive(Debug)]
pub(crate) struct Taken<'a> {
    memories: &'a Memories,
    key: &'a Key,
    memory: ComponentMemory,
}

impl Deref for Taken<'_> {
    type Target = ComponentMemory;

    fn deref(&self) -> &ComponentMemory {
        &self.memory
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut ComponentMemory {
        &mut self.memory
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.memory);
        if let Some(rendered) = &mut memory.rendered {
            rendered.close();
        }
        self.memories.0.lock().insert(self.key.clone(), memory);
    }
}
