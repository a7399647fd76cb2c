use std::fmt;

use kubewright_core::contract::{ComponentLoopEnd, Statements};
use serde::{Deserialize, Serialize};

use crate::declaration::{ContractComponent, StatusOf};

/// The status of a component during a pass, with notes for its end that are not stored.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PassStatus<T: ContractComponent> {
    #[serde(flatten)]
    pub(super) status: StatusOf<T>,
    #[serde(skip)]
    pub(super) notes: PassNotes,
}

/// The inputs of the conditions besides the outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct PassNotes {
    pub(super) statements: Statements,
    pub(super) end: Option<ComponentLoopEnd>,
    /// True if the pass is not reported.
    pub(super) is_silent: bool,
}

impl<T: ContractComponent> Default for PassStatus<T> {
    fn default() -> Self {
        Self { status: StatusOf::<T>::default(), notes: PassNotes::default() }
    }
}

impl<T: ContractComponent> fmt::Debug for PassStatus<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassStatus").field("notes", &self.notes).finish_non_exhaustive()
    }
}
