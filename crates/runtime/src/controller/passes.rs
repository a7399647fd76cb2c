//! The passes that a controller remembers.

use std::fmt;
use std::sync::Arc;

use kubewright_core::why::PassRecord;
use kubewright_machinery::object::Key;

use super::shared::Shared;

/// The last passes of the keys of one controller, in bounded memory (WHY-5). Cheap to clone.
#[derive(Clone)]
pub struct PassHistory(Arc<Shared>);

impl PassHistory {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// Returns the name of the controller.
    pub fn controller(&self) -> &str {
        &self.0.name
    }

    /// Returns the last passes of a key, the oldest first.
    pub fn of(&self, key: &Key) -> Vec<Arc<PassRecord>> {
        self.0.passes(key)
    }

    /// Returns the last passes of all keys; those of one key follow each other.
    pub fn all(&self) -> Vec<Arc<PassRecord>> {
        self.0.all_passes()
    }
}

impl fmt::Debug for PassHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PassHistory").field(&self.0.name).finish()
    }
}
