//! Helpers that these tests share.

use std::path::{Path, PathBuf};

use kubewright::machinery::yaml;
use kubewright::prelude::*;

/// Returns a Bundle.
pub(crate) fn bundle(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1",
        "kind": "Bundle",
        "metadata": { "name": name },
        "spec": spec,
    })
}

/// Returns a ConfigMap with a text.
pub(crate) fn config_map(name: &str, key: &str, text: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { key: text } })
}

/// Returns the message of the Ready condition.
pub(crate) fn message(component: &Value) -> &str {
    let conditions = component["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    ready.and_then(|condition| condition["message"].as_str()).unwrap_or_default()
}

/// Returns a set of manifests from the project's test data. `None`, with a printed note, if the data is absent.
pub(crate) fn shared_manifests(file: &str) -> Option<Vec<Value>> {
    let Some(path) = shared_data().map(|data| data.join("manifests").join(file)).filter(|path| path.is_file()) else {
        eprintln!("skipped: there is no shared/data/manifests/{file} beside the repository");
        return None;
    };
    Some(yaml::documents(&std::fs::read_to_string(path).unwrap()).unwrap())
}

/// Returns `shared/data` beside the repository, or beside a folder that contains it.
fn shared_data() -> Option<PathBuf> {
    let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    ancestors.map(|folder| folder.join("shared/data")).find(|data| data.is_dir())
}

/// Returns manifests as one text.
pub(crate) fn text(manifests: &[Value]) -> String {
    manifests.iter().map(yaml::to_string).collect::<Vec<_>>().join("---\n")
}
