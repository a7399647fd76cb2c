//! Scenarios at the level of HTTP: the requests of a client and their answers. The service is called in process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails, fails its test")]
#![allow(clippy::disallowed_methods, reason = "scenarios measure virtual time and run concurrently")]

mod access;
mod api;
mod cluster;
mod collections;
mod definitions;
mod deletion;
mod disturbances;
mod evictions;
mod forks;
mod garbage;
mod histories;
mod house;
mod namespaces;
mod nesting;
#[cfg(feature = "cel")]
mod nonsense;
mod objects;
mod ownership;
mod patches;
mod pipeline;
mod protobuf;
mod replay;
mod rules;
mod server;
mod services;
mod stages;
mod watches;

#[cfg(feature = "kube")]
mod client;
#[cfg(feature = "listen")]
mod kubectl;
#[cfg(all(feature = "listen", feature = "kube"))]
mod listen;
#[cfg(feature = "cli")]
mod program;
