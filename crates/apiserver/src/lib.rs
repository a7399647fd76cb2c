//! An embedded Kubernetes API server: in process for tests, on a loopback port for `kubectl`.
//!
//! The pieces, in the order in which a request meets them: [`server`] is what users hold, [`access`] says who asks, [`middleware`] records
//! and disturbs, [`request`] is the pipeline, [`kinds`] knows what is served, [`model`] what its objects look like ([`types`] for built-in
//! kinds, [`schema`] for custom resources), [`smd`] who owns their fields, `admission` what may be written, [`store`] keeps it, `watch` tells who waits for it, [`controllers`] do what no cluster works
//! without, and [`workloads`] play the cluster that is not there.

pub mod access;
mod admission;
pub mod clock;
pub mod controllers;
pub mod definition;
pub mod discovery;
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
pub mod types;
mod watch;
pub mod workloads;

pub use access::Identity;
pub use clock::Clock;
pub use server::{ApiServer, Controllers};
pub use status::Status;
