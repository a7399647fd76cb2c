//! Comparison of the served CRD with the one that the operator was built with (OPT-2).

use kubewright_machinery::object::GroupVersionKind;
use kubewright_runtime::cluster::{ApiRequest, ApiResource, Cluster};
use serde_json::Value;

/// The number of missing fields that are named.
const SHOWN: usize = 5;

/// Returns the fields of the status that the server would drop, as text. `None` if there are none, or if the operator may not read the CRD.
pub(super) async fn missing_fields(cluster: &Cluster, generated: &Value, version: &str) -> Option<String> {
    let name = generated.pointer("/metadata/name").and_then(Value::as_str)?;
    let gvk = GroupVersionKind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let definitions = ApiResource::known(&gvk, "customresourcedefinitions", false);
    let served = match cluster.send(&ApiRequest::get(&definitions, "", name)).await {
        Ok(served) => served,
        Err(error) => {
            tracing::debug!(crd = name, %error, "the served CRD cannot be compared");
            return None;
        }
    };
    let mut missing = Vec::new();
    compare(status_of(generated, version)?, status_of(&served, version)?, "status", &mut missing);
    if missing.is_empty() {
        return None;
    }
    let more = missing.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = missing.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    Some(format!("the CRD {name} lacks {shown}{more}; apply what the command `crds` of this program prints"))
}

fn status_of<'a>(crd: &'a Value, version: &str) -> Option<&'a Value> {
    let versions = crd.pointer("/spec/versions")?.as_array()?;
    let version = versions.iter().find(|one| one["name"] == version)?;
    version.pointer("/schema/openAPIV3Schema/properties/status")
}

/// Collects the paths of the properties that one schema has and the other would prune.
fn compare(wanted: &Value, served: &Value, path: &str, missing: &mut Vec<String>) {
    let keeps = |schema: &Value| schema["x-kubernetes-preserve-unknown-fields"] == true;
    if keeps(served) {
        return;
    }
    if let (Some(wanted), Some(served)) = (wanted.get("items"), served.get("items")) {
        compare(wanted, served, &format!("{path}[]"), missing);
    }
    let Some(properties) = wanted.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let path = format!("{path}.{name}");
        match served.get("properties").and_then(|served| served.get(name)) {
            Some(served) => compare(property, served, &path, missing),
            None => missing.push(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // OPT-2
    #[test]
    fn fields_that_the_server_would_drop_are_found_at_any_depth() {
        let item = json!({ "type": "object", "properties": { "name": {}, "fingerprint": {} } });
        let wanted =
            json!({ "properties": { "state": {}, "inventory": { "items": item }, "free": { "properties": { "a": {} } } } });
        let old = json!({ "type": "object", "properties": { "name": {} } });
        let served = json!({ "properties": {
            "inventory": { "items": old }, "free": { "x-kubernetes-preserve-unknown-fields": true }, "extra": {},
        } });
        let mut missing = Vec::new();
        compare(&wanted, &served, "status", &mut missing);
        missing.sort_unstable();
        assert_eq!(missing, ["status.inventory[].fingerprint", "status.state"]);
        missing.clear();
        compare(&wanted, &wanted, "status", &mut missing);
        assert!(missing.is_empty());
    }
}
