//! Kinds whose readiness and deletion the test controls: Foo and Bar are installed, Baz is a dependent of a component.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::leaks::CANARY;
use crate::types::{annotated, bundle};
use crate::world::World;

/// A finalizer that only the test removes.
pub(crate) const HOLD: &str = "hold.test.kubewright.dev/finalizer";

/// The kinds of one test. Their group is unique, so that tests on one server do not interfere.
pub(crate) struct Kinds {
    group: String,
}

impl Kinds {
    /// Installs Foo and Bar.
    pub(crate) async fn install(world: &World) -> Self {
        Self::install_in(&world.cluster).await
    }

    pub(crate) async fn install_in(cluster: &TestCluster) -> Self {
        let kinds = Self::of(cluster.namespace());
        for kind in ["Foo", "Bar"] {
            cluster.install_crd(&kinds.definition(kind)).await;
        }
        kinds
    }

    /// Returns the kinds of the test that has this namespace.
    pub(crate) fn of(namespace: &str) -> Self {
        Self { group: format!("{namespace}.testing.kubewright.dev") }
    }

    /// The group of the kinds.
    pub(crate) fn group(&self) -> &str {
        &self.group
    }

    /// Returns the CRD of a kind.
    pub(crate) fn definition(&self, kind: &str) -> Value {
        let singular = kind.to_lowercase();
        let plural = format!("{singular}s");
        let condition = json!({ "type": "object", "properties": {
            "type": { "type": "string" }, "status": { "type": "string" }, "reason": { "type": "string" },
            "message": { "type": "string" }, "observedGeneration": { "type": "integer" },
            "lastTransitionTime": { "type": "string", "format": "date-time" },
        } });
        let schema = json!({ "type": "object", "properties": {
            "spec": { "type": "object", "properties": { "value": { "type": "string" } } },
            "status": { "type": "object", "default": { "observedGeneration": -1 }, "properties": {
                "observedGeneration": { "type": "integer", "default": -1 },
                "conditions": { "type": "array", "items": condition },
            } },
        } });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.{}", self.group) },
            "spec": {
                "group": self.group, "scope": "Namespaced",
                "names": { "plural": plural, "singular": singular, "kind": kind, "listKind": format!("{kind}List") },
                "versions": [{
                    "name": "v1alpha1", "served": true, "storage": true,
                    "schema": { "openAPIV3Schema": schema }, "subresources": { "status": {} },
                }],
            },
        })
    }

    /// Returns an object of one of the kinds.
    pub(crate) fn object(&self, kind: &str, name: &str) -> Value {
        json!({
            "apiVersion": format!("{}/v1alpha1", self.group), "kind": kind,
            "metadata": { "name": name }, "spec": { "value": "a" },
        })
    }

    pub(crate) fn foo(&self) -> Value {
        self.object("Foo", "foo")
    }

    pub(crate) fn bar(&self) -> Value {
        self.object("Bar", "bar")
    }

    pub(crate) fn baz(&self) -> Value {
        self.object("Baz", "baz")
    }

    /// Returns the CRD that is a dependent.
    pub(crate) fn crd(&self) -> Value {
        self.definition("Baz")
    }

    /// Returns a component for which Bar is a managed type.
    pub(crate) fn component(&self, objects: &[Value]) -> Value {
        let mut component = bundle("demo", objects);
        component["spec"]["additionalManagedTypes"] = json!([{ "group": self.group, "kind": "Bar" }]);
        component
    }
}

/// Adds a foreign finalizer to an object.
pub(crate) fn held(mut object: Value) -> Value {
    object["metadata"]["finalizers"] = json!([HOLD]);
    object
}

pub(crate) fn secret(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": { "value": format!("{CANARY} horse") } })
}

/// Sets the orders of an object; an empty one is not set.
pub(crate) fn ordered(object: Value, apply: &str, delete: &str, purge: &str) -> Value {
    let orders = [("apply-order", apply), ("delete-order", delete), ("purge-order", purge)];
    let set = orders.into_iter().filter(|(_, order)| !order.is_empty());
    set.fold(object, |object, (key, order)| annotated(object, key, order))
}

/// Returns the API service of a group version that the server itself serves.
pub(crate) fn api_service(group: &str, version: &str) -> Value {
    json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": { "name": format!("{version}.{group}") },
        "spec": { "group": group, "version": version, "groupPriorityMinimum": 1000, "versionPriority": 10 },
    })
}

/// Returns the API service of a group version that no server serves.
pub(crate) fn unserved(world: &World, group: &str) -> Value {
    let mut service = api_service(group, "v1");
    service["spec"]["insecureSkipTLSVerify"] = true.into();
    service["spec"]["service"] = json!({ "namespace": world.namespace(), "name": "nobody" });
    service
}

/// Creates a group that the server lists and whose types cannot be discovered, since no server serves them.
pub(crate) async fn silent_group(world: &World) -> (String, Value) {
    let group = format!("{}.silent.example.com", world.namespace());
    let service = unserved(world, &group);
    world.create(&service).await;
    world.until_group(&group).await;
    (group, service)
}
