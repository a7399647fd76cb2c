//! What follows from a kind and is asked for with every request: found out once.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use kubewright_machinery::fieldset::FieldSet;
use serde_json::Value;

use crate::{model::Model, store::Resource};

/// Answers that are kept with a kind. A clone of the kind finds them out anew.
#[derive(Default)]
pub struct Derived {
    pub(crate) resource: OnceLock<Resource>,
    pub(crate) model: OnceLock<Arc<dyn Model>>,
    /// An object of the kind with nothing in it.
    pub(crate) blank: OnceLock<Arc<Value>>,
    /// What a write to the objects themselves does not write.
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
