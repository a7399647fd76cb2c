//! Values that are derived from a kind and needed by every request, computed once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use kubewright_machinery::fieldset::FieldSet;
use serde_json::Value;

use crate::model::Model;
use crate::store::Resource;

/// Derived values that are kept with a kind. A clone of the kind computes them anew.
#[derive(Default)]
pub struct Derived {
    pub(crate) resource: OnceLock<Resource>,
    pub(crate) model: OnceLock<Arc<dyn Model>>,
    /// An empty object of the kind.
    pub(crate) blank: OnceLock<Arc<Value>>,
    /// The fields that a write to the main endpoint does not change.
    pub(crate) reset: OnceLock<Arc<FieldSet>>,
}

impl Clone for Derived {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Derived").finish_non_exhaustive()
    }
}
