use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use kubewright_core::backoff::TransientBackoff;
use kubewright_core::dependents;
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;
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
    /// When it is tried again after transient errors.
    pub(crate) transient: TransientBackoff,
    /// How often it was looked at in vain.
    pub(crate) polls: Polls,
    /// The code of the operator's author that the pass is in: where a pass that does not end hangs.
    pub(crate) inside: Option<&'static str>,
    /// Whether it was told that renderings differ (once per component and process).
    pub(crate) told_nondeterminism: bool,
    /// What was last told of namespaces of cluster-scoped objects.
    pub(crate) told_misplaced: Option<String>,
    /// Whether it was told that its dependents are abandoned.
    pub(crate) told_abandonment: bool,
    /// Whether it was told that its objects of deletion stages are left out.
    pub(crate) told_skipped_hooks: bool,
}

/// The memories of all components of a type. A pass takes its own out; it goes back with the end of the pass.
#[derive(Debug, Default)]
pub(crate) struct Memories(Mutex<HashMap<Key, Memory>>);

impl Memories {
    pub(crate) fn take<'a>(&'a self, key: &'a Key, uid: &str) -> Taken<'a> {
        let known = self.0.lock().remove(key).filter(|memory| memory.uid == uid);
        let memory = known.unwrap_or_else(|| Memory { uid: uid.to_owned(), ..Memory::default() });
        Taken { memories: self, key, memory }
    }

    pub(crate) fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

/// The memory of a component in the hands of a pass. It is kept however the pass ends, also by a panic.
#[derive(Debug)]
pub(crate) struct Taken<'a> {
    memories: &'a Memories,
    key: &'a Key,
    memory: Memory,
}

impl Deref for Taken<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Memory {
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
