//! The rule of StatefulSets: creation, scaling and update, pod by pod.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::{claims, identity};
use crate::workloads::plan::{RuleContext, WorkloadPlan};
use crate::workloads::pods;
use crate::workloads::read::{at, int, is_deleted, text};
use crate::workloads::revision::{POD_LABEL, RevisionHistory};

/// Plans the next step of a StatefulSet; `owned` are its pods, `revisions` its ControllerRevisions, `claims` the claims of its namespace.
pub(in crate::workloads) fn plan(
    set: &Value,
    owned: &[&Value],
    revisions: &[&Value],
    claims: &[&Value],
    context: RuleContext<'_>,
) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let history = RevisionHistory::of(set, revisions);
    let update = history.present().name().to_owned();
    let stored_current = text(set, "/status/currentRevision");
    let current = if history.template(stored_current).is_some() { stored_current.to_owned() } else { update.clone() };
    let pods = Pods { set, owned, history: &history, current: &current, update: &update, context };
    if !is_deleted(set) {
        history.keep(&mut plan);
        pods.step(claims, &mut plan);
        claims::give_up(set, owned, claims, &mut plan);
        let used = |revision: &Value| {
            revision.name() == current || owned.iter().any(|pod| pod.label(POD_LABEL) == Some(revision.name()))
        };
        history.clean_up(set, used, &mut plan);
    }
    let status = pods.status(&mut plan);
    plan.status(set, status);
    plan
}

struct Pods<'a> {
    set: &'a Value,
    owned: &'a [&'a Value],
    history: &'a RevisionHistory<'a>,
    current: &'a str,
    update: &'a str,
    context: RuleContext<'a>,
}

impl Pods<'_> {
    /// Plans the changes of the pods. With ordered management one pod is changed at a time, and only while all others are ready.
    fn step(&self, claims: &[&Value], plan: &mut WorkloadPlan) {
        let ordered = text(self.set, "/spec/podManagementPolicy") != "Parallel";
        let mut waiting = false;
        for ordinal in identity::ordinals(self.set) {
            let name = identity::pod_name(self.set, ordinal);
            match self.owned.iter().find(|pod| pod.name() == name) {
                None if !plan.may_create() => {
                    waiting = true;
                    break;
                }
                None => {
                    claims::create(self.set, &name, claims, plan);
                    plan.create(self.pod(ordinal));
                    waiting = true;
                }
                Some(pod) if is_deleted(pod) => waiting = true,
                Some(pod) if pods::is_done(pod) => {
                    plan.delete(pod);
                    waiting = true;
                }
                Some(pod) => waiting |= !self.is_well(pod, plan),
            }
            if waiting && ordered {
                return;
            }
        }
        if !self.scale_down(ordered, plan) && !waiting {
            self.roll(plan);
        }
    }

    /// Deletes pods beyond the desired ordinals, the highest first. Returns true if there are any.
    fn scale_down(&self, ordered: bool, plan: &mut WorkloadPlan) -> bool {
        let wanted = identity::ordinals(self.set);
        let beyond = self.owned.iter().filter_map(|pod| Some((identity::ordinal(self.set, pod)?, *pod)));
        let mut condemned: Vec<(i64, &Value)> = beyond.filter(|(ordinal, _)| !wanted.contains(ordinal)).collect();
        condemned.sort_by_key(|(ordinal, _)| -ordinal);
        let any = !condemned.is_empty();
        for (_, pod) in condemned {
            if !is_deleted(pod) {
                plan.delete(pod);
            }
            if ordered {
                break;
            }
        }
        any
    }

    /// Deletes the highest pod of another revision for a rolling update, one at a time, down to the partition.
    fn roll(&self, plan: &mut WorkloadPlan) {
        if text(self.set, "/spec/updateStrategy/type") == "OnDelete" {
            return;
        }
        let wanted = identity::ordinals(self.set);
        let first = wanted.start + int(self.set, "/spec/updateStrategy/rollingUpdate/partition");
        for ordinal in (first..wanted.end).rev() {
            let name = identity::pod_name(self.set, ordinal);
            let Some(pod) = self.owned.iter().find(|pod| pod.name() == name) else { return };
            if pod.label(POD_LABEL) != Some(self.update) {
                if !is_deleted(pod) {
                    plan.delete(pod);
                }
                return;
            }
        }
    }

    /// Returns the pod with an ordinal: below the partition it keeps the current revision.
    fn pod(&self, ordinal: i64) -> Value {
        let partition = int(self.set, "/spec/updateStrategy/rollingUpdate/partition");
        let first_updated = identity::ordinals(self.set).start + partition;
        match self.history.template(self.current) {
            Some(template) if ordinal < first_updated => identity::pod(self.set, ordinal, template, self.current),
            _ => identity::pod(self.set, ordinal, at(self.set, "/spec/template"), self.update),
        }
    }

    fn is_well(&self, pod: &Value, plan: &mut WorkloadPlan) -> bool {
        pods::is_available(pod, int(self.set, "/spec/minReadySeconds"), self.context.now, plan)
    }

    fn status(&self, plan: &mut WorkloadPlan) -> Value {
        let alive: Vec<&Value> = self.owned.iter().copied().filter(|pod| pods::is_active(pod)).collect();
        let at_revision = |revision: &str| alive.iter().filter(|pod| pod.label(POD_LABEL) == Some(revision)).count();
        let ready = alive.iter().filter(|pod| pods::is_ready(pod)).count();
        let available = alive.iter().filter(|pod| self.is_well(pod, plan)).count();
        let updated = at_revision(self.update);
        let rolls = text(self.set, "/spec/updateStrategy/type") != "OnDelete";
        // The update revision becomes the current one once every pod is updated and ready.
        let wanted = identity::ordinals(self.set).count();
        let done = rolls && self.owned.len() >= wanted && updated == self.owned.len() && ready == self.owned.len();
        let current = if done { self.update } else { self.current };
        let mut status = json!({
            "observedGeneration": self.set.generation().unwrap_or_default(),
            "replicas": self.owned.iter().filter(|pod| !pods::is_done(pod)).count(),
            "availableReplicas": available,
            "currentRevision": current,
            "updateRevision": self.update,
            "collisionCount": int(self.set, "/status/collisionCount"),
        });
        for (field, count) in [("readyReplicas", ready), ("updatedReplicas", updated), ("currentReplicas", at_revision(current))]
        {
            if count > 0 {
                status[field] = count.into();
            }
        }
        status
    }
}
