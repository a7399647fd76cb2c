//! Replicas of an operator over a lease server in memory, in virtual time, with all faults.

mod disturb;
mod event;
mod judge;
mod replica;
mod server;
mod state;

pub(super) use state::{Chance, Setup, World};
