//! The statuses of a contract's objects.
//!
//! The status of a component has a part of the framework, one for the customer, and one that stays on the component (flow-and-contract.md,
//! 13.3). The status of the owner has a part of the framework, and one that its components publish.

mod component;
mod form;
mod generations;
mod owner;
mod part;
mod phase;

pub use component::ContractStatus;
pub use form::{OpenmcpForm, StandardForm, StatusForm};
pub use generations::StatusGenerations;
pub use owner::OwnerStatus;
pub use part::{NoPart, StatusPart};
pub use phase::StatusPhase;
