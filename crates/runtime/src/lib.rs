//! The runtime of controllers, with I/O: clients, watches, runner, events, admin server, and the operator itself.
//!
//! Modules, from low to high: `defaults`, `clock`, `definition`, `kind`, `metrics`, `permission`, `phase`, `task`, `api`, `watch`, `cluster`, `events`, `config`, `controller`,
//! `trigger`, `store`, `admin`, `leadership`, `targets`, `finalizer`, `ensure`, `status`, `operator`, `inject`, `background`, `reconcile`, `step`.

pub mod admin;
mod api;
pub mod background;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod controller;
mod defaults;
pub mod definition;
pub mod ensure;
pub mod events;
pub mod finalizer;
pub mod inject;
pub mod kind;
pub mod leadership;
pub mod metrics;
pub mod operator;
mod permission;
mod phase;
pub mod reconcile;
pub mod status;
pub mod step;
pub mod store;
pub mod targets;
pub mod task;
pub mod trigger;
pub mod watch;

#[cfg(test)]
mod testing;
