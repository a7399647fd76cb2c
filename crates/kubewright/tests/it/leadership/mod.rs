//! Several replicas of one operator.

mod balance;
mod configuration;
mod hooks;
mod kinds;
mod leaders;
mod observers;
mod processes;
mod replicas;
mod requests;
mod schemes;
mod sharing;
mod shutdown;
mod terms;
