//! The APIServices of the served versions of custom resource definitions (CRD-13, CTL-5).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::api::{DeleteOptions, Writer};
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, StoreEvent};

/// The label of APIServices that the server itself maintains.
pub(crate) const AUTOMANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";
/// The priority of definitions is below that of all built-in groups; their versions are ordered by name.
const GROUP_PRIORITY: u32 = 1000;
const VERSION_PRIORITY: u32 = 100;

/// Creates, restores and deletes the APIServices of definitions. APIServices of other authors are left unchanged.
#[derive(Clone, Debug, Default)]
pub(super) struct Registrations {
    /// Groups and versions to reconcile.
    pending: Backlog<(String, String)>,
}

/// Returns the APIService of a group and version that the server serves itself.
pub(crate) fn local(group: &str, version: &str, priority: [u32; 2], managed: &str) -> Value {
    json!({
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": format!("{version}.{group}"), "labels": {AUTOMANAGED: managed}},
        "spec": spec(group, version, priority),
    })
}

fn spec(group: &str, version: &str, [group_priority, version_priority]: [u32; 2]) -> Value {
    let mut spec = json!({"version": version, "groupPriorityMinimum": group_priority, "versionPriority": version_priority});
    if !group.is_empty() {
        spec["group"] = group.into();
    }
    spec
}

fn services() -> Resource {
    Resource::new("apiregistration.k8s.io", "apiservices")
}

fn is_managed(service: &Value) -> bool {
    service.labels().get(AUTOMANAGED).and_then(Value::as_str) == Some("true")
}

fn versions(definition: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    versions.filter_map(|version| Some((version["name"].as_str()?, version)))
}

/// Returns true if any definition serves the version of the group.
fn is_served(snapshot: &Snapshot, group: &str, wanted: &str) -> bool {
    let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
    let of_group = |definition: &&Value| definition["spec"]["group"] == group;
    snapshot
        .list(&definitions, None)
        .map(|(_, stored)| stored.value())
        .filter(of_group)
        .any(|definition| versions(definition).any(|(name, version)| name == wanted && version["served"] == true))
}

impl ByItem for Registrations {
    type Item = (String, String);

    fn name(&self) -> &'static str {
        "autoregister-controller"
    }

    fn manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn observe(&self, event: &StoreEvent) {
        let resource = &event.object.resource;
        let either = event.previous.iter().chain(&event.current).map(|stored| stored.value());
        if resource.is("apiextensions.k8s.io", "customresourcedefinitions") {
            for definition in either {
                let group = definition["spec"]["group"].as_str().unwrap_or_default();
                self.pending.extend(versions(definition).map(|(version, _)| (group.to_owned(), version.to_owned())));
            }
        } else if resource.is("apiregistration.k8s.io", "apiservices")
            && (event.current.is_none() || either.into_iter().any(is_managed))
            && let Some((version, group)) = event.object.name.name.split_once('.')
        {
            self.pending.add((group.to_owned(), version.to_owned()));
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, (group, version): &(String, String)) -> Result<bool, Status> {
        reconcile(writer, group, version).await
    }

    fn is_essential(&self) -> bool {
        true
    }
}

/// Reconciles the APIService of a group and version. Returns true if anything had to be done.
async fn reconcile(writer: &Writer, group: &str, version: &str) -> Result<bool, Status> {
    let snapshot = writer.snapshot();
    let (resource, name) = (services(), ObjectName::new("", &format!("{version}.{group}")));
    let priority = [GROUP_PRIORITY, VERSION_PRIORITY];
    match (is_served(&snapshot, group, version), snapshot.get(&resource, &name)) {
        (true, None) => writer.create(local(group, version, priority, "true")).await.map(|_| true),
        (true, Some(present)) if is_managed(present.value()) => {
            let spec = spec(group, version, priority);
            if present.value()["spec"] == spec {
                return Ok(false);
            }
            writer.modify(&resource, &name, Endpoint::Main, |service| service["spec"] = spec.clone()).await.map(|_| true)
        }
        (false, Some(present)) if is_managed(present.value()) => writer.delete(&resource, &name, DeleteOptions::default()).await,
        _ => Ok(false),
    }
}
