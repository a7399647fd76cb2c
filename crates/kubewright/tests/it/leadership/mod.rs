//! Several replicas of one operator.

mod balance;
mod changes;
mod configuration;
mod environment;
mod hooks;
mod kinds;
mod observers;
mod replicas;
mod requests;
mod schemes;
mod sharing;
mod terms;
