//! Several replicas of one operator.

mod balance;
mod changes;
mod configuration;
mod environment;
mod hooks;
mod kinds;
mod leader_tasks;
mod leaders;
mod observers;
mod processes;
pub(crate) mod replicas;
mod requests;
mod schemes;
mod shared_with_go;
mod sharing;
mod shutdown;
mod terms;
mod traps;
