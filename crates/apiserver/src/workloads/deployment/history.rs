//! The history of a Deployment: old ReplicaSets are kept for roll-backs, up to a limit.

use serde_json::Value;

use super::revisions::{Revisions, revision};
use crate::workloads::plan::WorkloadPlan;
use crate::workloads::read::{at, int, is_deleted};

/// Deletes the oldest ReplicaSets without pods beyond the limit.
pub(super) fn clean_up(deployment: &Value, revisions: &Revisions<'_>, plan: &mut WorkloadPlan) {
    let limit = at(deployment, "/spec/revisionHistoryLimit").as_u64().unwrap_or(10) as usize;
    let empty = |set: &&&Value| int(set, "/spec/replicas") == 0 && int(set, "/status/replicas") == 0 && !is_deleted(set);
    let mut empty: Vec<&Value> = revisions.old.iter().filter(empty).copied().collect();
    empty.sort_by_key(|set| revision(set));
    let surplus = empty.len().saturating_sub(limit);
    empty[..surplus].iter().for_each(|set| plan.delete(set));
}
