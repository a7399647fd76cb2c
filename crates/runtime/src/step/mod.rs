//! Multi-step work of a pass: steps, pipelines, and branches that run concurrently.
//!
//! A [`Pipeline`] is a list of groups, each of which checks, then writes, then waits. A pass runs it from its first step; the first halt ends it, with the
//! name of the step in its message.
//!
//! ```
//! # use kubewright_core::flow::{Blocked, Flow, Wait};
//! # use kubewright_runtime::step;
//! use kubewright_runtime::step::{Pipeline, Step};
//!
//! # struct Site { replicas: u32, ready: u32, deployed: bool }
//! /// Checks the specification.
//! struct Validate;
//!
//! impl Step<Site> for Validate {
//!     const NAME: &'static str = "validate";
//!
//!     async fn run(&self, site: &mut Site) -> Flow {
//!         if site.replicas == 0 {
//!             return Blocked::new("InvalidSpec", "spec.replicas: at least 1").into();
//!         }
//!         Ok(())
//!     }
//! }
//!
//! // A function is a step, too.
//! async fn deploy(site: &mut Site) -> Flow {
//!     site.deployed = true;
//!     Ok(())
//! }
//!
//! async fn rollout(site: &mut Site) -> Flow {
//!     if site.ready < site.replicas { Wait::for_event("RolloutPending").into() } else { Ok(()) }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let apply = Pipeline::new("apply")
//!     .group("decide", |group| group.check(Validate))
//!     .group("workload", |group| group.write(step!("deployment", deploy)).wait(step!("rollout", rollout)));
//! assert_eq!(apply.order(), ["validate", "deployment", "rollout"]);
//!
//! let mut site = Site { replicas: 2, ready: 0, deployed: false };
//! let halt = apply.run(&mut site).await.unwrap_err();
//! assert_eq!(halt.text(), "step rollout: waiting for an event");
//! assert!(site.deployed);
//! # }
//! ```

mod entry;
mod group;
mod into_step;
mod join_all;
mod name;
mod pass;
mod pipeline;
mod record;
mod running;

#[cfg(test)]
mod tests;

pub use group::{BeforeWaits, Group, GroupOfChecks, GroupPhase, GroupWithWaits, GroupWithWrites};
pub use into_step::{FnStep, IntoStep, Step};
pub use join_all::{join_all, run_all};
pub use name::StepName;
pub use pass::Pass;
pub use pipeline::Pipeline;
pub use record::{PipelineRun, StepOutcome, StepRecord};
