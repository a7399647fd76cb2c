//! Workload stages: a simulation of the workload controllers, the scheduler and the kubelet, so that Deployments, StatefulSets, DaemonSets, Jobs and
//! pods become ready without nodes.
//!
//! Every decision is a pure function of objects and the time: [`pod::next`] plans the next change of a pod, the `plan` functions plan the changes of
//! a workload's children. One controller calls them with the content of the server and makes the writes that they plan, on the server's clock. A test
//! controls single objects by annotations ([`READY_AFTER`], [`OUTCOME`]).

pub mod autoscaler;
pub mod claims;
mod condition;
mod cron_job;
mod daemon_set;
mod deployment;
mod dispatch;
pub mod disruption_budget;
mod indexes;
mod job;
pub mod load_balancer;
mod mode;
pub mod node;
mod plan;
pub mod pod;
mod pods;
mod read;
#[cfg(test)]
mod related_tests;
mod replica_set;
mod revision;
#[cfg(test)]
mod simulation;
mod stage_request;
mod stages;
mod stateful_set;
mod status_only;
mod template;
#[cfg(test)]
mod tests;

pub use mode::{StageDelays, Workloads};
pub use node::Nodes;
pub use plan::{PlannedWrite, RuleContext, WorkloadPlan};
pub use stage_request::{OUTCOME, READY_AFTER, StageRequest, WorkloadOutcome, warnings};
pub use stages::Stages;
