//! An embedded Kubernetes API server: in process for tests, on a loopback port for `kubectl`.
//!
//! The spine of the crate: the [`store`] keeps the objects and the registry in [`kinds`] says which are served; the [`api`] is the verbs on
//! them, without HTTP; [`controllers`] do the work that no cluster can do without, and [`workloads`] simulate the missing nodes and their pods,
//! both through the [`api`]; [`request`] is the HTTP pipeline in front of it; [`server`] assembles all of these, and [`listen`] opens a port.
//! Beside the spine: `access` authenticates and authorizes, [`model`] is the interface of the rules for objects ([`types`] for built-in kinds,
//! [`definition`] for custom resources), [`smd`] tracks the ownership of fields, and `admission` checks new objects. The parts that also serve
//! clients of other clusters are in the crate `kubewright-middleware`: the [`Journal`] of requests, the fault rules ([`Faults`]), the [`RequestTarget`] of a
//! request, and the [`Clock`].
//!
//! Modules, from low to high: `status`, `store`, `model`, `json`, `forms`, `smd`, `kinds`, `access`, `admission`, `types`, `discovery`,
//! `openapi`, `patch`, `definition`, `proto`, `tables`, `api`, `controllers`, `workloads`, `request`, `server`, `listen`.

mod access;
mod admission;
pub mod api;
pub mod controllers;
pub mod definition;
pub mod discovery;
pub mod forms;
mod json;
pub mod kinds;
#[cfg(feature = "listen")]
pub mod listen;
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
pub mod types;
pub mod workloads;

pub use kubewright_middleware::{Clock, Faults, Identity, Journal, RequestTarget, Seed, Status, Verb};
pub use server::{ApiServer, Controllers};
