//! An embedded Kubernetes API server: in process for tests, on a loopback port for `kubectl`.
//!
//! The spine of the crate: the [`store`] keeps the objects and the registry in [`kinds`] says which are served; the [`api`] is the verbs on
//! them, without HTTP; [`controllers`] do the work that no cluster can do without, and [`workloads`] simulate the missing nodes and their pods,
//! both through the [`api`]; [`request`] is the HTTP pipeline in front of it; [`server`] assembles all of these, and [`listen`] opens a port.
//! Beside the spine: `access` authenticates and authorizes, [`target`] reads what a request addresses, [`middleware`] records requests and
//! injects faults, [`model`] is the interface of the rules for objects ([`types`] for built-in kinds, [`definition`] for custom resources), [`smd`]
//! tracks the ownership of fields, and `admission` checks new objects.
//!
//! Modules, from low to high: `clock`, `status`, `identity`, `store`, `model`, `json`, `forms`, `smd`, `kinds`, `target`, `access`,
//! `admission`, `types`, `discovery`, `openapi`, `patch`, `definition`, `proto`, `tables`, `api`, `controllers`, `workloads`, `middleware`,
//! `request`, `server`, `listen`.

mod access;
mod admission;
pub mod api;
pub mod clock;
pub mod controllers;
pub mod definition;
pub mod discovery;
pub mod forms;
mod identity;
mod json;
pub mod kinds;
#[cfg(feature = "listen")]
pub mod listen;
pub mod middleware;
pub mod model;
pub mod openapi;
pub mod patch;
pub mod proto;
#[cfg(test)]
mod recorded;
pub mod request;
pub mod server;
pub mod smd;
pub mod status;
pub mod store;
pub mod tables;
pub mod target;
pub mod types;
pub mod workloads;

pub use clock::Clock;
pub use identity::Identity;
pub use server::{ApiServer, Controllers};
pub use status::Status;
