//! What these tests share.

use std::path::{Path, PathBuf};

use kubewright::machinery::yaml;
use kubewright::prelude::*;

/// A Bundle.
pub(crate) fn bundle(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1",
        "kind": "Bundle",
        "metadata": { "name": name },
        "spec": spec,
    })
}

/// A ConfigMap with a text.
pub(crate) fn config_map(name: &str, key: &str, text: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { key: text } })
}

/// The message of the Ready condition.
pub(crate) fn message(component: &Value) -> &str {
    let conditions = component["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    ready.and_then(|condition| condition["message"].as_str()).unwrap_or_default()
}

/// A set of manifests from the project's test data. `None`, with a word on why, where the data is not there.
pub(crate) fn shared_manifests(file: &str) -> Option<Vec<Value>> {
    let Some(path) = shared_data().map(|data| data.join("manifests").join(file)).filter(|path| path.is_file()) else {
        eprintln!("skipped: there is no shared/data/manifests/{file} beside the repository");
        return None;
    };
    Some(yaml::documents(&std::fs::read_to_string(path).unwrap()).unwrap())
}

/// `shared/data` beside the repository, or beside a folder that holds it.
fn shared_data() -> Option<PathBuf> {
    let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    ancestors.map(|folder| folder.join("shared/data")).find(|data| data.is_dir())
}

/// Manifests as one text.
pub(crate) fn text(manifests: &[Value]) -> String {
    manifests.iter().map(yaml::to_string).collect::<Vec<_>>().join("---\n")
}
