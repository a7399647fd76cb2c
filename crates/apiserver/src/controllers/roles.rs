//! Aggregated cluster roles (CTL-7): a new role with the right labels extends every role that aggregates it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::selector::LabelSelector;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::ServerController;
use super::backlog::Backlog;
use crate::api::Writer;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, StoreEvent, Stored};

/// Writes the rules of cluster roles with an aggregation rule.
#[derive(Clone, Debug, Default)]
pub(super) struct RoleAggregation {
    /// Roles that changed, which others may aggregate.
    pending: Backlog<ObjectName>,
}

fn resource() -> Resource {
    Resource::new("rbac.authorization.k8s.io", "clusterroles")
}

impl ServerController for RoleAggregation {
    fn name(&self) -> &'static str {
        "clusterrole-aggregation-controller"
    }

    fn manager(&self) -> &'static str {
        "clusterrole-aggregation-controller"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("rbac.authorization.k8s.io", "clusterroles") {
            self.pending.add(event.object.name.clone());
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let moment = writer.clock().moment();
            let changed = self.pending.take(moment);
            if changed.is_empty() {
                return Ok(false);
            }
            let mut worked = false;
            let snapshot = writer.snapshot();
            let whole = |(_, role): &(&ObjectName, &Arc<Stored>)| role.value()["aggregationRule"].is_object();
            let resource = resource();
            let names: Vec<ObjectName> = snapshot.list(&resource, None).filter(whole).map(|(name, _)| name.clone()).collect();
            for name in names {
                let outcome = aggregate(writer, &snapshot, &name).await;
                worked |= self.pending.finish(name, moment, outcome).unwrap_or_default();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn is_due(&self, now: Duration) -> bool {
        self.pending.is_due(now)
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(self.clone())
    }

    fn next_due(&self) -> Option<Duration> {
        self.pending.next_due()
    }
}

/// Sets the rules of a role to those of its parts. Returns true if they changed.
async fn aggregate(writer: &Writer, snapshot: &Snapshot, name: &ObjectName) -> Result<bool, Status> {
    let Some(role) = snapshot.get(&resource(), name) else { return Ok(false) };
    let rules = rules(role.value(), snapshot);
    if rules == role.value()["rules"].as_array().map(Vec::as_slice).unwrap_or_default() {
        return Ok(false);
    }
    let mut applied = json!({"apiVersion": role.api_version(), "kind": "ClusterRole", "metadata": {"name": *name.name}});
    if !rules.is_empty() {
        applied["rules"] = rules.into();
    }
    writer.apply(applied, Endpoint::Main).await.map(|_| true)
}

/// Returns the rules of all roles that the selectors match: by selector, then by name, each rule once.
fn rules(role: &Value, snapshot: &Snapshot) -> Vec<Value> {
    let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array().into_iter().flatten();
    // A selector that cannot be parsed matches nothing.
    let selectors: Vec<LabelSelector> = selectors.filter_map(|selector| LabelSelector::from_json(selector).ok()).collect();
    let mut rules: Vec<Value> = Vec::new();
    let resource = resource();
    for selector in &selectors {
        let parts = snapshot
            .list(&resource, None)
            .filter(|(name, part)| *name.name != *role.name() && selector.matches_object(part.value()));
        for rule in parts.flat_map(|(_, part)| part.value()["rules"].as_array().into_iter().flatten()) {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
    }
    rules
}
