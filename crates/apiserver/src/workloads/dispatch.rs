//! The dispatch of workloads to the rules of their kinds.

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::plan::{RuleContext, WorkloadPlan};
use super::{StageRequest, WorkloadOutcome, cron_job, daemon_set, deployment, job, replica_set, stateful_set};

/// The objects that a rule may read besides the workload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family<'a> {
    /// The objects that the workload controls.
    pub(super) owned: &'a [&'a Value],
    /// The claims of the workload's namespace.
    pub(super) claims: &'a [&'a Value],
    /// All nodes.
    pub(super) nodes: &'a [&'a Value],
}

/// Plans the next step of a workload.
pub(super) fn plan(workload: &Value, family: Family<'_>, context: RuleContext<'_>) -> WorkloadPlan {
    // The outcome requested for a Deployment is that of its pods; its ReplicaSets are created all the same.
    if StageRequest::of(workload).outcome == WorkloadOutcome::Manual {
        return WorkloadPlan::default();
    }
    let owned = |kind: &str| -> Vec<&Value> { family.owned.iter().copied().filter(|object| object.kind() == kind).collect() };
    match workload.kind() {
        "Deployment" => deployment::plan(workload, &owned("ReplicaSet"), context),
        "ReplicaSet" | "ReplicationController" => replica_set::plan(workload, &owned("Pod"), context),
        "StatefulSet" => stateful_set::plan(workload, &owned("Pod"), &owned("ControllerRevision"), family.claims, context),
        "DaemonSet" => daemon_set::plan(workload, &owned("Pod"), &owned("ControllerRevision"), family.nodes, context),
        "CronJob" => cron_job::plan(workload, &owned("Job"), context),
        "Job" => job::plan(workload, &owned("Pod"), context),
        _ => WorkloadPlan::default(),
    }
}
