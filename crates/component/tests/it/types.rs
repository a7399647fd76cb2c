//! The component type of these tests: its spec lists the manifests of its dependents.

use kubewright::prelude::*;

/// Keeps the objects that its spec lists.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Bundle", namespaced, status = "ComponentStatus")]
pub(crate) struct BundleSpec {
    #[serde(flatten)]
    pub(crate) placement: Placement,
    #[serde(flatten)]
    pub(crate) policies: Policies,
    #[serde(flatten)]
    pub(crate) requeue: Requeue,
    #[serde(flatten)]
    pub(crate) timeout: Timeout,
    #[serde(default)]
    pub(crate) suspend: Suspend,
    #[serde(default)]
    pub(crate) objects: Vec<Object>,
}

/// Any object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Object(pub(crate) Map<String, Value>);

impl JsonSchema for Object {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Object".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    }
}

/// The generator.
pub(crate) async fn objects(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let manifest = |object: &Object| Ok(Manifest::from_json(Value::Object(object.0.clone()))?);
    cx.component().spec.objects.iter().map(manifest).collect()
}

/// A component with these objects.
pub(crate) fn bundle(name: &str, objects: &[Value]) -> Value {
    json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Bundle",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "objects": objects },
    })
}

/// A ConfigMap.
pub(crate) fn config_map(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "value": value } })
}

/// A Deployment, which is ready when its workload is.
pub(crate) fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "replicas": 1,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "main", "image": "example.com/main:1" }] },
            },
        },
    })
}

/// An object with an annotation of the framework.
pub(crate) fn annotated(mut object: Value, key: &str, value: &str) -> Value {
    object["metadata"]["annotations"][format!("{}/{key}", crate::world::OPERATOR)] = value.into();
    object
}
