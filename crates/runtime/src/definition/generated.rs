use kube::CustomResourceExt;
use serde_json::Value;

use super::formats;

/// Returns the definition of a kind as `CustomResource` generates it, without formats that API servers do not know.
pub fn custom_resource_definition<K: CustomResourceExt>() -> Result<Value, serde_json::Error> {
    let mut definition = serde_json::to_value(K::crd())?;
    for version in definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            formats::adapt(schema);
        }
    }
    Ok(definition)
}
