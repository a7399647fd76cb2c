//! Other clusters: their identity, reachability, sharing among users, and removal.
//!
//! A [`Remote`] is the cluster of a kubeconfig, with its own health. A [`TargetsInUse`] keeps the values that users share for each target while it has users, and
//! 15 minutes longer (component.md, 9). Components and hand-written reconcilers use both.

mod client;
mod key;
mod kubeconfig;
mod metrics;
mod of_controller;
mod reach;
mod registry;
mod remote;
mod used;

pub use key::TargetKey;
pub use kubeconfig::RefusedKubeconfig;
pub use metrics::{ClusterStatistics, TargetMetrics};
pub(crate) use of_controller::{ControllerTargets, PassTargets, Selected};
pub use reach::NotReached;
pub use registry::{TargetsInUse, Used};
pub use remote::{Remote, RemoteOptions, TargetConnector, TargetError};
pub(crate) use used::{StartTriggers, TargetUser, UsedCluster};
