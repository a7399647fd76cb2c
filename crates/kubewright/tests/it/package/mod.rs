//! The package fixture: a reconciler of 38 steps (`flow-and-contract.md`, 5 and 17.2).

mod calls;
mod cut;
mod deletion;
pub(crate) mod disturbance;
mod halts;
mod install;
mod resize;
mod upgrade;
pub(crate) mod world;
