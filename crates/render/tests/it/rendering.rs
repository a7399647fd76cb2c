//! Renderings of a component in a cluster that answers from a table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_render::{Environment, Generator, Kustomization, Manifest, Question, RenderContext, RenderError, RenderInputs};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A component.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Demo {
    api_version: &'static str,
    spec: Value,
    status: Value,
}

/// A cluster with fixed answers.
struct FixedCluster(BTreeMap<Question, Value>);

#[async_trait]
impl Environment for FixedCluster {
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        Ok(Arc::new(self.0.get(question).cloned().unwrap_or_default()))
    }
}

/// Returns the context of a component with these parameters.
pub(crate) fn context(parameters: Value) -> RenderContext<Demo> {
    let Value::Object(parameters) = parameters else { panic!("parameters are an object") };
    let component = Demo { api_version: "demo/v1", spec: json!({ "size": 3 }), status: json!({ "state": "Ready" }) };
    let inputs = RenderInputs {
        operator: "demo.example.com".to_owned(),
        namespace: "prod".to_owned(),
        name: "web".to_owned(),
        digest: "abc".to_owned(),
        revision: 7,
        uid: "u1".to_owned(),
        ..RenderInputs::default()
    };
    let answers = [
        (Question::Version, json!({ "major": "1", "minor": "36", "gitVersion": "v1.36.2" })),
        (
            Question::ServedTypes,
            json!([
                { "groupVersion": "apps/v1", "resources": [
                    {
                        "name": "deployments", "singularName": "deployment", "namespaced": true, "group": "apps", "version": "v1",
                        "kind": "Deployment", "verbs": ["get", "list"], "shortNames": ["deploy"], "categories": ["all"],
                    },
                    {
                        "name": "deployments/scale", "singularName": "", "namespaced": true, "group": "autoscaling", "version": "v1",
                        "kind": "Scale", "verbs": ["get"],
                    },
                ] },
                { "groupVersion": "v1", "resources": [
                    {
                        "name": "pods", "singularName": "pod", "namespaced": true, "group": "", "version": "v1", "kind": "Pod",
                        "verbs": ["get"],
                    },
                ] },
            ]),
        ),
    ];
    RenderContext::new(component, parameters, inputs).with_environment(Arc::new(FixedCluster(BTreeMap::from(answers))))
}

/// Renders with these parameters and returns the objects.
pub(crate) async fn objects(generator: &impl Generator<Demo>, parameters: Value) -> Vec<Value> {
    resolved(generator.render(&context(parameters)).await.unwrap())
}

pub(crate) fn resolved(manifests: Vec<Manifest>) -> Vec<Value> {
    manifests.into_iter().map(|manifest| manifest.resolve("demo.example.com").unwrap()).collect()
}

/// Returns the text of the error of a rendering without parameters.
pub(crate) async fn failure(generator: &impl Generator<Demo>) -> String {
    match generator.render(&context(json!({}))).await {
        Ok(manifests) => panic!("rendered {manifests:?}"),
        Err(RenderError::Input(error)) => error.to_string(),
        Err(other) => panic!("no input error: {other}"),
    }
}

/// Returns the text of the error of a check.
pub(crate) fn fault(generator: &impl Generator<Demo>) -> String {
    generator.check().unwrap_err().to_string()
}

/// Returns a kustomization in memory, at the root.
pub(crate) fn kustomization(files: &[(&str, &str)]) -> Kustomization {
    kustomization_at(files, "")
}

/// Returns a kustomization in memory, in a directory.
pub(crate) fn kustomization_at(files: &[(&str, &str)], path: &str) -> Kustomization {
    Kustomization::files(files.iter().map(|(path, content)| (*path, *content)), path)
}

/// Returns a ConfigMap as YAML, with a value under `text`.
pub(crate) fn config_map(name: &str, text: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  text: {text}\n")
}

/// Renders a template as the text of a ConfigMap and returns the text.
pub(crate) async fn text_of(template: &str, parameters: Value) -> String {
    let files = [("a.yaml", config_map("a", template))];
    let objects = objects(&Kustomization::files(files, ""), parameters).await;
    objects[0]["data"]["text"].as_str().map_or_else(|| objects[0]["data"]["text"].to_string(), str::to_owned)
}

/// Returns the texts of ConfigMaps by their names.
pub(crate) fn texts(objects: &[Value]) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    objects.iter().map(|object| (text(&object["metadata"]["name"]), text(&object["data"]["text"]))).collect()
}

/// Returns the names of objects in their order.
pub(crate) fn names(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|object| object["metadata"]["name"].as_str().unwrap()).collect()
}

/// Writes files below a new directory for a test, and returns it.
pub(crate) fn written(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("render").join(test);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    for (path, content) in files {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }
    root
}

/// Returns an object as a map.
pub(crate) fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("no object: {value}") };
    map
}
