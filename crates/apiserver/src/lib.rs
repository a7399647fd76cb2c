//! An embedded Kubernetes API server: in process for tests, on a loopback port for `kubectl`.
//!
//! The modules, in the order in which a request passes them: [`server`] holds the handle for users, [`access`] authenticates and authorizes,
//! [`middleware`] records requests and injects faults, [`request`] is the pipeline, [`kinds`] is the registry of served kinds, [`model`] defines
//! their objects ([`types`] for built-in kinds, [`schema`] for custom resources), [`smd`] tracks the ownership of fields, `admission` checks new
//! objects, [`store`] keeps the objects, `watch` streams changes to clients, [`controllers`] do the work that no cluster can do without, and
//! [`workloads`] simulate the missing nodes and their pods.
//!
//! Modules, from low to high: `clock`, `status`, `identity`, `json`, `schema`, `store`, `model`, `forms`, `smd`, `kinds`, `target`, `access`,
//! `admission`, `types`, `workloads`, `discovery`, `openapi`, `patch`, `definition`, `proto`, `tables`, `middleware`, `server`, `request`,
//! `watch`, `controllers`, `listen`.

pub mod access;
mod admission;
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
pub mod schema;
pub mod server;
pub mod smd;
pub mod status;
pub mod store;
pub mod tables;
pub mod target;
pub mod types;
mod watch;
pub mod workloads;

pub use clock::Clock;
pub use identity::Identity;
pub use server::{ApiServer, Controllers};
pub use status::Status;
