//! Faults: requests fail by rule (FLT-1 to FLT-5).
//!
//! ```
//! use kubewright_middleware::{Clock, Faults, Seed, Status, Verb};
//!
//! let faults = Faults::new(Clock::system(), Seed::new(7));
//! let rule = faults.on(Verb::Patch).of("apps", "deployments").named("demo").by_user_agent("podinfo-operator")
//!     .times(2).respond(Status::new(409, "Conflict", "the object has been modified"));
//! // ... requests pass through faults.layer() ...
//! assert_eq!(rule.hits(), 0);
//! rule.remove();
//! ```

mod action;
mod canned;
mod connection_dropped;
mod cut;
mod registry;
mod rule;
mod service;
mod stream;
#[cfg(test)]
mod tests;

pub use connection_dropped::ConnectionDropped;
pub use cut::{CutBuilder, CutHandle};
pub use registry::{Faults, RuleHandle};
pub use rule::RuleBuilder;
pub use service::{FaultBody, FaultService};
pub use stream::CutBody;
