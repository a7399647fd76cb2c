//! Several replicas of one operator.

mod balance;
mod configuration;
mod hooks;
mod kinds;
mod leaders;
mod observers;
mod replicas;
mod requests;
mod schemes;
mod sharing;
mod terms;
