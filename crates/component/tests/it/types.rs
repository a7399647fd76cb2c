//! The component type of these tests: its spec lists the manifests of its dependents.

use kubewright::prelude::*;

/// Keeps the objects that its spec lists.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Bundle", namespaced, status = "ComponentStatus")]
pub(crate) struct BundleSpec {
    #[serde(flatten)]
    pub(crate) placement: Placement,
    #[serde(flatten)]
    pub(crate) target: Target,
    #[serde(flatten)]
    pub(crate) impersonation: Impersonation,
    #[serde(flatten)]
    pub(crate) policies: Policies,
    #[serde(flatten)]
    pub(crate) requeue: Requeue,
    #[serde(flatten)]
    pub(crate) timeout: Timeout,
    #[serde(flatten)]
    pub(crate) managed: ManagedTypes,
    #[serde(default)]
    pub(crate) suspend: Suspend,
    #[serde(default)]
    pub(crate) objects: Vec<Object>,
    /// Copied into ConfigMap `copy`, with the other references.
    #[serde(default)]
    pub(crate) all: Vec<ConfigMapRef>,
    #[serde(default)]
    pub(crate) nested: Option<Nested>,
}

/// References below the spec.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Nested {
    #[serde(default)]
    pub(crate) secret_values: std::collections::BTreeMap<String, SecretKeyRef>,
    #[serde(default)]
    #[reference(fallback_keys("first", "second"), ignore_on_deletion)]
    pub(crate) lenient: Option<ConfigMapKeyRef>,
    /// Resolved by code of the operator.
    #[serde(default)]
    pub(crate) licences: std::collections::BTreeMap<String, Vec<Licence>>,
    #[serde(default)]
    #[reference(ignore_on_deletion)]
    pub(crate) last: Option<Licence>,
}

/// The name of a ConfigMap that holds a licence, read by the operator's own code.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[reference(content = String)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Licence {
    pub(crate) from_map: String,
}

impl Reference for Licence {
    async fn load(&self, cx: &LoadContext) -> Flow<Loaded<String>> {
        let maps = kube::Api::<k8s_openapi::api::core::v1::ConfigMap>::namespaced(cx.client(), cx.namespace());
        let Some(map) = maps.get_opt(&self.from_map).await? else {
            return Wait::after(Delay::secs::<5>(), "LicenceMissing").message(format!("no licence {}", self.from_map)).into();
        };
        match map.data.unwrap_or_default().remove("value").as_deref() {
            Some("revoked") => Blocked::new("LicenceRevoked", format!("the licence {} is revoked", self.from_map)).into(),
            Some(value) => Ok(Loaded::hashed(value.to_owned())),
            None => Ok(Loaded::absent()),
        }
    }
}

/// The same, for the whole cluster.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Site", status = "ComponentStatus")]
pub(crate) struct SiteSpec {
    #[serde(flatten)]
    pub(crate) placement: Placement,
    #[serde(default)]
    pub(crate) objects: Vec<Object>,
}

/// An arbitrary object.
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

/// The generator of Bundles.
pub(crate) async fn objects(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let manifest = |object: &Object| Ok(Manifest::from_json(Value::Object(object.0.clone()))?);
    let spec = &cx.component().spec;
    let copy = copied(cx);
    let copy = (!copy.is_empty())
        .then(|| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "copy" }, "data": copy }));
    spec.objects.iter().map(manifest).chain(copy.map(|copy| Ok(Manifest::from_json(copy)?))).collect()
}

/// The generator of Sites.
pub(crate) async fn site_objects(cx: &RenderContext<Site>) -> Result<Vec<Manifest>, RenderError> {
    let manifest = |object: &Object| Ok(Manifest::from_json(Value::Object(object.0.clone()))?);
    cx.component().spec.objects.iter().map(manifest).collect()
}

/// Returns the contents of all references.
fn copied(cx: &RenderContext<Bundle>) -> Map<String, Value> {
    let spec = &cx.component().spec;
    let mut copy = Map::new();
    for reference in &spec.all {
        for (key, value) in cx.config_map(reference).into_iter().flatten() {
            copy.insert(format!("{}.{key}", reference.name), json!(value));
        }
    }
    if let Some(nested) = &spec.nested {
        for (key, reference) in &nested.secret_values {
            let value = cx.secret(reference).map(String::from_utf8_lossy);
            copy.insert(key.clone(), json!(value));
        }
        for (name, licences) in &nested.licences {
            let loaded: Vec<&str> = licences.iter().map(|licence| cx.loaded(licence).map_or("none", String::as_str)).collect();
            copy.insert(format!("licences.{name}"), loaded.join(",").into());
        }
        if let Some(value) = cx.loaded(&nested.last) {
            copy.insert("last".to_owned(), json!(value));
        }
        if let Some(value) = cx.config_map(&nested.lenient) {
            copy.insert("lenient".to_owned(), json!(value));
        }
    }
    copy
}

/// Returns a component with these objects.
pub(crate) fn bundle(name: &str, objects: &[Value]) -> Value {
    json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Bundle",
        "metadata": { "name": name },
        "spec": { "objects": objects },
    })
}

/// Returns a ConfigMap.
pub(crate) fn config_map(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "value": value } })
}

/// Returns a Deployment, which is ready when its workload is.
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

/// Adds an annotation of the framework to an object.
pub(crate) fn annotated(mut object: Value, key: &str, value: &str) -> Value {
    object["metadata"]["annotations"][format!("{}/{key}", crate::world::OPERATOR)] = value.into();
    object
}
