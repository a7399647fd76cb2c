//! The kinds whose objects are shown.

use kube::api::ApiResource;
use kube::core::GroupVersionKind;
use kubewright_machinery::object::{GroupKind, ObjectExt as _};
use kubewright_runtime::operator::Declarations;
use serde_json::Value;

/// A kind whose CRD the operator installs, or which one of its controllers processes.
#[derive(Clone, Debug)]
pub(crate) struct ShownKind {
    /// Group, version, kind and plural.
    pub(crate) resource: ApiResource,
    /// The state that its objects report.
    pub(crate) tells: Tells,
}

/// The state that the objects of a kind report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// State, conditions, and an inventory of dependents.
    Dependents,
    /// Conditions.
    Conditions,
    /// No state: the objects count as ready when they exist.
    Nothing,
}

impl ShownKind {
    /// Returns the kind that a CRD defines, in its storage version.
    pub(crate) fn of_crd(crd: &Value) -> Self {
        let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let versions = crd.pointer("/spec/versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let stored = versions.iter().find(|version| version["storage"] == true).unwrap_or(&Value::Null);
        let status = stored.pointer("/schema/openAPIV3Schema/properties/status/properties");
        let has = |field: &str| status.is_some_and(|status| status.get(field).is_some());
        let tells = if has("inventory") {
            Tells::Dependents
        } else if has("conditions") {
            Tells::Conditions
        } else {
            Tells::Nothing
        };
        let gvk =
            GroupVersionKind::gvk(text("/spec/group"), stored["name"].as_str().unwrap_or_default(), text("/spec/names/kind"));
        Self { resource: ApiResource::from_gvk_with_plural(&gvk, text("/spec/names/plural")), tells }
    }

    /// Returns true if this is the kind of an object, in any version.
    pub(crate) fn is_of(&self, object: &Value) -> bool {
        self.resource.kind == object.kind() && object.gvk().is_some_and(|gvk| gvk.group == self.resource.group)
    }
}

/// Returns all kinds of an operator: those of its CRDs, then the other kinds that its controllers process, as far as the cluster serves them.
/// The controllers wait for kinds that are not served.
pub(crate) async fn kinds(client: &kube::Client, declarations: &Declarations) -> Vec<ShownKind> {
    let mut kinds: Vec<ShownKind> = declarations.crds().map(ShownKind::of_crd).collect();
    for foreign in declarations.controllers() {
        let GroupKind { group, kind } = foreign;
        if kinds.iter().any(|known| (&known.resource.group, &known.resource.kind) == (group, kind)) {
            continue;
        }
        let Some(gvk) = declarations.kinds().find(|gvk| (&gvk.group, &gvk.kind) == (group, kind)) else { continue };
        match kube::discovery::pinned_kind(client, &GroupVersionKind::gvk(group, &gvk.version, kind)).await {
            Ok((resource, _)) => kinds.push(ShownKind { resource, tells: tells_of(foreign) }),
            Err(error) => tracing::warn!(%error, kind, "objects of this kind are not shown"),
        }
    }
    kinds
}

/// Returns the state that the objects of a kind without a CRD of the operator report. Kinds of Kubernetes with a condition `Ready` are known; of
/// other kinds only the name is.
fn tells_of(kind: &GroupKind) -> Tells {
    let has_ready = kind.group.is_empty() && matches!(kind.kind.as_str(), "Pod" | "Node");
    if has_ready { Tells::Conditions } else { Tells::Nothing }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_status_schema_of_a_crd_shows_whether_objects_report_dependents_or_conditions() {
        let crd = |status: Value| {
            json!({"spec": {"group": "example.com", "names": {"kind": "Shop", "plural": "shops"}, "versions": [
                {"name": "v1", "storage": false},
                {"name": "v2", "storage": true, "schema": {"openAPIV3Schema": {"properties": {"status": {"properties": status}}}}},
            ]}})
        };
        for (status, tells) in [
            (json!({"conditions": {}, "inventory": {}}), Tells::Dependents),
            (json!({"conditions": {}, "address": {}}), Tells::Conditions),
            (json!({}), Tells::Nothing),
        ] {
            let kind = ShownKind::of_crd(&crd(status));
            assert_eq!(kind.tells, tells);
            assert_eq!((kind.resource.api_version.as_str(), kind.resource.plural.as_str()), ("example.com/v2", "shops"));
        }
    }
}
