//! The controller that evaluates the rules and makes the writes that they plan.

mod agenda;
mod apply;
mod kinds;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use kubewright_machinery::object::ObjectExt;
use kubewright_middleware::Status;
use serde_json::Value;

use self::agenda::Agenda;
use self::kinds::{RelatedKind, Role};
use super::pod::{self, PodChange};
use super::{
    Nodes, PlannedWrite, RuleContext, StageDelays, WorkloadPlan, Workloads, autoscaler, claims, dispatch, disruption_budget,
    load_balancer, node, status_only,
};
use crate::api::Writer;
use crate::controllers::ServerController;
use crate::store::{ObjectName, ObjectRef, Resource, Snapshot, StoreEvent, Stored};

/// The simulation of the workload controllers, the scheduler and the kubelet inside the server.
#[derive(Debug)]
pub struct Stages {
    mode: Workloads,
    delays: StageDelays,
    nodes: usize,
    agenda: Agenda,
    /// True once the nodes of the cluster were created.
    has_nodes: AtomicBool,
    /// The number of pods that were given an address.
    addresses: AtomicU32,
}

impl Stages {
    /// Creates the stages for a mode, with their delays, on a cluster of this many nodes.
    pub fn new(mode: Workloads, delays: StageDelays, nodes: usize) -> Self {
        Self { mode, delays, nodes, agenda: Agenda::default(), has_nodes: AtomicBool::new(false), addresses: AtomicU32::new(0) }
    }

    /// Returns true if the rules apply to a resource in this mode.
    fn is_concerned(&self, role: Role) -> bool {
        match self.mode {
            Workloads::Off => false,
            Workloads::Status => matches!(role, Role::Workload | Role::Related(_)),
            Workloads::Pods => true,
        }
    }

    async fn work(&self, writer: &Writer, object: &ObjectRef) -> Result<(), Status> {
        let snapshot = writer.snapshot();
        let Some(stored) = snapshot.get(&object.resource, &object.name).cloned() else { return Ok(()) };
        let plan = match kinds::role(&object.resource) {
            Some(Role::Pod) => {
                self.ensure_nodes(writer).await?;
                self.plan_pod(writer, &stored)
            }
            Some(Role::Workload) if self.mode == Workloads::Status => {
                status_only::plan(stored.value(), self.nodes, RuleContext::new(writer.clock().now(), &self.delays))
            }
            Some(Role::Workload) => {
                if stored.value().kind() == "DaemonSet" {
                    self.ensure_nodes(writer).await?;
                }
                self.plan_workload(writer, &stored)
            }
            Some(Role::Node) => node::life(stored.value()),
            Some(Role::Related(what)) => self.plan_related(writer, &snapshot, what, stored.value()),
            _ => WorkloadPlan::default(),
        };
        if plan.is_burst {
            self.agenda.rest(object.clone(), writer.clock().moment() + WorkloadPlan::PAUSE);
        } else if let Some(wake) = plan.wake {
            let wait = wake.duration_since(writer.clock().now());
            self.agenda.add_at(object.clone(), writer.clock().moment() + Duration::try_from(wait).unwrap_or_default());
        }
        for write in plan.writes {
            apply::write(writer, write).await?;
        }
        Ok(())
    }

    fn plan_workload(&self, writer: &Writer, stored: &Stored) -> WorkloadPlan {
        // The snapshot is taken here, since nodes may have been created in the meantime.
        let snapshot = writer.snapshot();
        let workload = stored.value();
        let owned = owned_by(writer, &snapshot, workload.uid());
        let owned: Vec<&Value> = owned.iter().map(|stored| stored.value()).collect();
        let claims: Vec<&Value> = if workload.kind() == "StatefulSet" {
            snapshot
                .list(&Resource::new("", "persistentvolumeclaims"), Some(workload.namespace()))
                .map(|(_, claim)| claim.value())
                .collect()
        } else {
            Vec::new()
        };
        let nodes = all_nodes(&snapshot);
        let family = dispatch::Family { owned: &owned, claims: &claims, nodes: &nodes };
        dispatch::plan(workload, family, RuleContext::new(writer.clock().now(), &self.delays))
    }

    fn plan_pod(&self, writer: &Writer, stored: &Stored) -> WorkloadPlan {
        let snapshot = writer.snapshot();
        let (pod, now) = (stored.value(), writer.clock().now());
        let all = all_nodes(&snapshot);
        let nodes = Nodes { all: &all, next_address: node::pod_address(self.addresses.load(Ordering::Relaxed)) };
        let mut plan = WorkloadPlan::default();
        let Some(change) = pod::next(pod, nodes, now, &self.delays) else { return plan };
        if !change.is_due(now) {
            plan.wake_at(change.due, now);
            return plan;
        }
        let takes_address = |status: &Value| status.get("podIP").is_some() && pod.pointer("/status/podIP").is_none();
        match (pod.key(), change.what) {
            (Some(key), PodChange::Bind(node)) => plan.writes.push(PlannedWrite::Bind(key, node)),
            (Some(key), PodChange::Status(status)) => {
                self.addresses.fetch_add(u32::from(takes_address(&status)), Ordering::Relaxed);
                plan.writes.push(PlannedWrite::Status(key, status));
            }
            (Some(key), PodChange::Delete) => plan.writes.push(PlannedWrite::DeleteNow(key)),
            (None, _) => {}
        }
        plan
    }

    fn plan_related(&self, writer: &Writer, snapshot: &Snapshot, what: RelatedKind, object: &Value) -> WorkloadPlan {
        let context = RuleContext::new(writer.clock().now(), &self.delays);
        let find = |object: &ObjectRef| snapshot.get(&object.resource, &object.name).map(|stored| stored.value());
        match what {
            RelatedKind::Claim => claims::claim(object, context),
            RelatedKind::Volume => {
                let reference =
                    |field: &str| object.pointer(&format!("/spec/claimRef/{field}")).and_then(Value::as_str).unwrap_or_default();
                let name = ObjectName::new(reference("namespace"), reference("name"));
                claims::volume(object, find(&ObjectRef { resource: kinds::claims(), name }))
            }
            RelatedKind::Service => load_balancer::service(object),
            RelatedKind::Ingress => load_balancer::ingress(object),
            RelatedKind::Autoscaler => {
                let target = |field: &str| {
                    object.pointer(&format!("/spec/scaleTargetRef/{field}")).and_then(Value::as_str).unwrap_or_default()
                };
                let target = kinds::workload(target("kind"), object.namespace(), target("name"));
                autoscaler::plan(object, target.as_ref().and_then(find), context)
            }
            RelatedKind::Budget => {
                let pods: Vec<&Value> =
                    snapshot.list(&kinds::pods(), Some(object.namespace())).map(|(_, pod)| pod.value()).collect();
                disruption_budget::plan(object, &pods, context)
            }
        }
    }

    /// Creates the nodes of the cluster when the first pod needs one (STG-5).
    async fn ensure_nodes(&self, writer: &Writer) -> Result<(), Status> {
        if self.has_nodes.load(Ordering::Relaxed) {
            return Ok(());
        }
        for n in 0..self.nodes {
            let wanted = node::node(n, writer.clock().now());
            let key = wanted.key();
            let status = wanted.get("status").cloned().unwrap_or_default();
            apply::write(writer, PlannedWrite::Create(wanted)).await?;
            if let Some(key) = key {
                let name = ObjectName::new("", &key.name);
                apply::write(writer, PlannedWrite::Status(key, status)).await?;
                // The node must be ready before the first pod is scheduled.
                let stored = writer.snapshot().get(&kinds::nodes(), &name).cloned();
                for write in stored.map(|node| node::life(node.value())).unwrap_or_default().writes {
                    apply::write(writer, write).await?;
                }
            }
        }
        self.has_nodes.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl ServerController for Stages {
    fn name(&self) -> &'static str {
        "workload-stages"
    }

    fn observe(&self, event: &StoreEvent) {
        let Some(role) = kinds::role(&event.object.resource).filter(|role| self.is_concerned(*role)) else { return };
        match role {
            Role::Node => self.agenda.nodes_changed(),
            Role::Pod | Role::Workload => self.agenda.namespace_changed(&event.object.name.namespace),
            // A volume is deleted with its claim.
            Role::Related(RelatedKind::Claim) if event.current.is_none() => {
                if let Some(volume) =
                    event.previous.as_ref().and_then(|claim| claim.value().pointer("/spec/volumeName")?.as_str())
                {
                    self.agenda.add(ObjectRef { resource: kinds::volumes(), name: ObjectName::new("", volume) });
                }
            }
            Role::Related(_) | Role::Child => {}
        }
        if event.current.is_some() {
            self.agenda.add(event.object.clone());
        }
        for stored in event.previous.iter().chain(&event.current) {
            if let Some(owner) = kinds::controller_of(stored.value()) {
                self.agenda.add(owner);
            }
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        Box::pin(async move {
            let mut due = self.agenda.take(writer.clock().moment());
            if self.agenda.take_nodes_changed() {
                due.extend(depending_on_nodes(&writer.snapshot()));
            }
            let namespaces = self.agenda.take_namespaces();
            due.extend(namespaces.iter().flat_map(|namespace| counting_in(&writer.snapshot(), namespace)));
            for object in &due {
                if let Err(status) = self.work(writer, object).await {
                    tracing::debug!(%object, error = %status, "failed to play a stage; it is tried again");
                    self.agenda.add_at(object.clone(), writer.clock().moment() + RETRY);
                }
            }
            Ok(!due.is_empty())
        })
    }

    fn is_due(&self, now: Duration) -> bool {
        self.agenda.is_due(now)
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(Self {
            mode: self.mode,
            delays: self.delays,
            nodes: self.nodes,
            agenda: self.agenda.clone(),
            has_nodes: AtomicBool::new(self.has_nodes.load(Ordering::Relaxed)),
            addresses: AtomicU32::new(self.addresses.load(Ordering::Relaxed)),
        })
    }

    fn next_due(&self) -> Option<Duration> {
        self.agenda.next_due()
    }
}

/// The time until an object is evaluated again after one of its writes was refused.
const RETRY: Duration = Duration::from_secs(1);

fn all_nodes(snapshot: &Snapshot) -> Vec<&Value> {
    snapshot.list(&kinds::nodes(), None).map(|(_, node)| node.value()).collect()
}

fn owned_by(writer: &Writer, snapshot: &Snapshot, uid: &str) -> Vec<Arc<Stored>> {
    let dependents = writer.dependents(uid).into_iter();
    let stored = dependents.filter_map(|dependent| snapshot.get(&dependent.resource, &dependent.name).cloned());
    stored.filter(|stored| stored.value().controller().is_some_and(|owner| owner.uid == uid)).collect()
}

/// Returns the objects of a namespace whose status counts its workloads and pods.
fn counting_in(snapshot: &Snapshot, namespace: &str) -> Vec<ObjectRef> {
    let all = |resource: Resource| -> Vec<ObjectRef> {
        snapshot
            .list(&resource, Some(namespace))
            .map(|(name, _)| ObjectRef { resource: resource.clone(), name: name.clone() })
            .collect()
    };
    [kinds::autoscalers(), kinds::budgets()].into_iter().flat_map(all).collect()
}

/// Returns the objects that nodes affect: DaemonSets, and pods without a node.
fn depending_on_nodes(snapshot: &Snapshot) -> Vec<ObjectRef> {
    let all = |resource: Resource| {
        let objects = snapshot.list(&resource, None).map(|(name, stored)| (name.clone(), stored.clone())).collect::<Vec<_>>();
        objects.into_iter().map(move |(name, stored)| (ObjectRef { resource: resource.clone(), name }, stored))
    };
    let unscheduled = all(kinds::pods()).filter(|(_, pod)| pod.value().pointer("/spec/nodeName").is_none());
    all(kinds::daemon_sets()).chain(unscheduled).map(|(object, _)| object).collect()
}
