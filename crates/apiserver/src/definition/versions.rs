//! Accessors for the versions of a definition.

use serde_json::Value;

/// Returns the versions in the order of the definition.
pub(super) fn all(definition: &Value) -> &[Value] {
    definition.pointer("/spec/versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the name of a version.
pub(super) fn name(version: &Value) -> &str {
    version.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Returns true if a flag of a version is set.
pub(super) fn is(version: &Value, flag: &str) -> bool {
    version.get(flag) == Some(&Value::Bool(true))
}

/// Returns the name of the first version that objects are stored in.
pub(super) fn storage(definition: &Value) -> Option<&str> {
    all(definition).iter().find(|version| is(version, "storage")).map(name)
}

/// Returns the schema of a version.
pub(super) fn schema(version: &Value) -> Option<&Value> {
    version.pointer("/schema/openAPIV3Schema").filter(|schema| !schema.is_null())
}
