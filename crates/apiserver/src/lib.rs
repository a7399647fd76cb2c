//! An embedded Kubernetes API server: in process for tests, on a loopback port for `kubectl`.
//!
//! The pieces, in the order in which a request meets them: [`access`] says who asks, `request` is the pipeline, [`kinds`] knows what
//! is served, [`model`] what its objects look like ([`schema`] for custom resources), [`store`] keeps it, `watch` tells who waits for it, and `controllers` do what no cluster works without.
//! [`middleware`] records requests and makes them fail by rule.

pub mod access;
pub mod clock;
pub mod kinds;
pub mod middleware;
pub mod model;
pub mod schema;
pub mod status;
pub mod store;

pub use access::Identity;
pub use clock::Clock;
pub use status::Status;
