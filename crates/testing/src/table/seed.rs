//! The server of a row, with the given objects in it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use kube::core::GroupVersionKind as KubeKind;
use kubewright_apiserver::api::Names;
use kubewright_apiserver::{ApiServer, Controllers, Identity};
use kubewright_machinery::object::ObjectExt;
use kubewright_middleware::Clock as ServerClock;
use serde_json::{Value, json};

use super::address::{ObjectAddress, Plurals};
use crate::backend::{Backend, epoch};
use crate::{TestCluster, TestOptions, Tier, time};

/// The metadata fields that only a server sets, so that objects with them cannot be created on a real server.
const FORGED: [&str; 6] =
    ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"];

/// Returns the reason why these objects cannot be created on a real server (TTBL-9); `None` if they can.
pub(super) fn forged(given: &[Value]) -> Option<String> {
    given.iter().find_map(|object| {
        let metadata = object.get("metadata")?;
        let is_stated = |field: &&&str| metadata.get(**field).is_some_and(|value| !value.is_null());
        let is_later = object.generation().is_some_and(|generation| generation != 1);
        let field = FORGED.iter().find(is_stated).copied().or_else(|| is_later.then_some("generation"))?;
        Some(format!("{} states metadata.{field}, which only a server sets", object.title()))
    })
}

/// Starts a server with definitions and objects, whose journal is empty.
pub(super) async fn start(
    tier: Tier,
    namespace: &str,
    now: Option<Timestamp>,
    definitions: &[Value],
    given: &[Value],
) -> Result<TestCluster, String> {
    let mut namespaces: BTreeSet<&str> = given.iter().map(ObjectExt::namespace).collect();
    namespaces.insert(namespace);
    let is_given = |name: &str| given.iter().any(|object| object.kind() == "Namespace" && object.name() == name);
    namespaces.retain(|name| !name.is_empty() && !is_given(name));
    let namespaces =
        namespaces.into_iter().map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let namespace = if namespace.is_empty() { "default" } else { namespace };
    if tier == Tier::Embedded {
        time::make_virtual();
        let clock = ServerClock::tokio(now.unwrap_or_else(epoch));
        let builder = ApiServer::builder().clock(clock).seed(7).names(Names::Counter).controllers(Controllers::Ticked);
        let server = builder.build().map_err(|error| format!("failed to start the embedded API server: {error}"))?;
        let objects = definitions.iter().cloned().chain(namespaces).chain(given.iter().cloned());
        server.seed(objects).map_err(|error| format!("failed to give the objects: {error}"))?;
        let client = server.client(Identity::admin());
        return Ok(TestCluster::assemble(Backend::Embedded { server }, (tier, true), client, namespace.to_owned()));
    }
    let backend = Backend::start(tier, &TestOptions::default().without_controllers()).await?;
    let client = backend.client().await?;
    let cluster = TestCluster::assemble(backend, (tier, true), client, namespace.to_owned());
    for definition in definitions {
        cluster.install_crd(definition).await;
    }
    for object in namespaces.chain(given.iter().cloned()) {
        put(&cluster, object).await?;
    }
    Ok(cluster)
}

/// Creates an object with its status.
async fn put(cluster: &TestCluster, object: Value) -> Result<(), String> {
    let (title, status) = (object.title(), object.get("status").cloned());
    match cluster.create(&object).await {
        Ok(_) => {}
        Err(kube::Error::Api(answer)) if answer.reason == "AlreadyExists" && object.kind() == "Namespace" => {}
        Err(error) => return Err(format!("failed to give {title}: {error}")),
    }
    if let (Some(status), Some(gvk)) = (status, object.gvk()) {
        let kind = KubeKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
        let api = cluster.api(&kind, Some(object.namespace())).await;
        let patch = kube::api::Patch::Merge(json!({ "status": status }));
        let patched = api.patch_status(object.name(), &kube::api::PatchParams::default(), &patch).await;
        patched.map_err(|error| format!("failed to give the status of {title}: {error}"))?;
    }
    Ok(())
}

/// Returns the given objects as the server stores them.
pub(super) async fn known(
    cluster: &TestCluster,
    plurals: &mut Plurals,
    given: &[Value],
) -> Result<BTreeMap<ObjectAddress, Value>, String> {
    let mut known = BTreeMap::new();
    for object in given {
        let Some(gvk) = object.gvk() else { continue };
        plurals.learn(cluster.client(), &gvk).await?;
        let kind = KubeKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
        let api = cluster.api(&kind, Some(object.namespace())).await;
        let stored = api.get(object.name()).await.map_err(|error| format!("failed to read {}: {error}", object.title()))?;
        let address = plurals.address(&gvk, object.namespace(), object.name());
        known.insert(address, serde_json::to_value(stored).unwrap_or_default());
    }
    Ok(known)
}
