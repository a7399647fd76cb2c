use std::fmt;

use kubewright_core::contract::{Aggregate, ComponentType};
use serde::{Deserialize, Serialize};

use crate::declaration::{Contract, ContractOwner};
use crate::status::OwnerStatus;

/// The status of an owner, with the types of its contract.
pub(super) type StatusOfOwner<C> =
    OwnerStatus<<<C as Contract>::Owner as ContractOwner>::Published, <<C as Contract>::Owner as ContractOwner>::Form>;

/// The status of an owner during a pass, with notes for its end that are not stored.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct OwnerPassStatus<C: Contract> {
    #[serde(flatten)]
    pub(super) status: StatusOfOwner<C>,
    #[serde(skip)]
    pub(super) notes: OwnerPassNotes,
}

/// The inputs of the status besides the outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnerPassNotes {
    /// The conditions of the components on which the end of the pass is based. `None` if the pass ended earlier.
    pub(super) aggregate: Option<Aggregate>,
    /// The components that a deletion waits for.
    pub(super) left: Vec<ComponentType>,
    /// True if the pass is not reported.
    pub(super) is_silent: bool,
}

impl<C: Contract> Default for OwnerPassStatus<C> {
    fn default() -> Self {
        Self { status: StatusOfOwner::<C>::default(), notes: OwnerPassNotes::default() }
    }
}

impl<C: Contract> fmt::Debug for OwnerPassStatus<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerPassStatus").field("status", &self.status).field("notes", &self.notes).finish()
    }
}
