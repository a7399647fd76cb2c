//! Pure decisions of an operator: outcomes, back-off, the work queue, manifests, health, dependents.
//!
//! This crate does no I/O, reads no clock and draws no unseeded random numbers: time and seeds are arguments, so that all decisions can be tested as
//! data.
//!
//! The feature `kube` adds the recognition of that library's errors to [`flow`]; it is the only use of the library.
//!
//! Modules, from low to high: `defaults`, `config`, `filter`, `hash`, `mapping`, `names`, `health`, `manifest`, `precondition`, `seconds`, `status`, `time`,
//! `child`, `backoff`, `class`, `flow`, `condition`, `events`, `finalizer`, `contract`, `dependents`, `component`, `lease`, `queue`, `reference`,
//! `tracker`, `why`.

pub mod backoff;
pub mod child;
pub mod class;
pub mod component;
pub mod condition;
pub mod config;
pub mod contract;
pub mod defaults;
pub mod dependents;
pub mod events;
pub mod filter;
pub mod finalizer;
pub mod flow;
pub mod hash;
pub mod health;
pub mod lease;
pub mod manifest;
pub mod mapping;
pub mod names;
pub mod precondition;
pub mod queue;
#[cfg(test)]
mod recorded;
pub mod reference;
pub mod seconds;
pub mod status;
pub mod time;
pub mod tracker;
pub mod why;
