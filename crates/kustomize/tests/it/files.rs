//! Kustomizations in the memory of a test.

use std::collections::BTreeMap;

use kubewright_kustomize::{KustomizeError, build};
use serde_json::Value;

/// A ConfigMap with a name.
pub(crate) fn map(name: &str) -> String {
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{k: v}}}}")
}

/// A deployment with a name whose pods read a ConfigMap.
pub(crate) fn deployment(name: &str, map: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{template: {{spec: {{containers: [{{name: c, image: 'r/i:1', \
         envFrom: [{{configMapRef: {{name: {map}}}}}]}}]}}}}}}}}"
    )
}

pub(crate) fn tree(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Builds the kustomization in the root of some files.
pub(crate) fn built(files: &[(&str, &str)]) -> Result<Vec<Value>, KustomizeError> {
    build(&tree(files), "")
}

/// Returns the text of the failure of a build.
pub(crate) fn failure(files: &[(&str, &str)]) -> String {
    built(files).unwrap_err().to_string()
}

/// Returns the names of objects.
pub(crate) fn names(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|object| object["metadata"]["name"].as_str().unwrap()).collect()
}
