//! The patch with which the owner loop changes a component.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::patch::json_patch_between;
use serde_json::{Value, json};

/// Returns the JSON patch that turns a live object into the wanted one, which is a changed copy of it; none if they are equal. The patch applies only
/// to the object with this UID, and fails if another writer has added a value that the patch does not know: a first label or annotation, another
/// value of the annotation `operation`, or other owner references.
pub fn component_patch(live: &Value, wanted: &Value, operation: &str) -> Option<Value> {
    let Value::Array(changes) = json_patch_between(live, wanted)? else { return None };
    let mut patch = vec![test("/metadata/uid".to_owned(), live.uid().into())];
    for map in ["labels", "annotations", "ownerReferences"] {
        let path = format!("/metadata/{map}");
        let is_whole = changes.iter().any(|change| change.get("path").and_then(Value::as_str) == Some(path.as_str()));
        if is_whole {
            patch.push(test(path, live.metadata().get(map).cloned().unwrap_or_default()));
        }
    }
    let (before, after) = (live.annotation(operation), wanted.annotation(operation));
    if before != after && !live.annotations().is_empty() {
        let path = format!("/metadata/annotations/{}", operation.replace('~', "~0").replace('/', "~1"));
        patch.push(test(path, before.into()));
    }
    patch.extend(changes);
    Some(patch.into())
}

fn test(path: String, value: Value) -> Value {
    json!({ "op": "test", "path": path, "value": value })
}
