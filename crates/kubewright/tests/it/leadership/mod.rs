//! Several replicas of one operator.

mod balance;
mod configuration;
mod hooks;
mod kinds;
mod leader_tasks;
mod observers;
pub(crate) mod replicas;
mod requests;
mod schemes;
mod shared_with_go;
mod sharing;
mod terms;
mod traps;
