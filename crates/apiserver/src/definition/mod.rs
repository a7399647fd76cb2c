//! CustomResourceDefinitions: their defaults, their validation, and the kinds that they add.
//!
//! A definition is itself an object of a built-in kind. Once its names are accepted, [`kinds`] converts each version that it serves into a
//! [`KindSpec`] for the registry, with the compiled schema as its [`Model`].
//!
//! [`KindSpec`]: crate::kinds::KindSpec
//! [`Model`]: crate::model::Model

pub(crate) mod condition;
mod kinds;
mod model;
mod validate;
mod versions;
mod warnings;

#[cfg(test)]
mod tests;

pub use kinds::kinds;
pub use model::{CustomModel, DefinitionModel};
use serde_json::{Map, Value, json};
pub use validate::{validate, validate_status};

/// Fills in the fields that a definition omits: the singular and list names, the conversion, the port of a conversion webhook.
pub fn default(definition: &mut Value) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        if is_blank(names, "singular") {
            names.insert("singular".to_owned(), kind.to_lowercase().into());
        }
        if is_blank(names, "listKind") && !kind.is_empty() {
            names.insert("listKind".to_owned(), format!("{kind}List").into());
        }
    }
    if spec.get("conversion").is_none_or(Value::is_null) {
        spec.insert("conversion".to_owned(), json!({"strategy": "None"}));
    }
    if let Some(service) =
        spec.get_mut("conversion").and_then(|conversion| conversion.pointer_mut("/webhook/clientConfig/service"))
        && let Some(service) = service.as_object_mut()
        && service.get("port").is_none_or(Value::is_null)
    {
        service.insert("port".to_owned(), 443.into());
    }
}

/// Sets the part of the status that follows from the spec: the empty status of a new definition, and the storage version among the stored
/// versions.
pub fn prepare(definition: &mut Value, stored: Option<&Value>) {
    // A write that does not change the spec may set the stored versions, such as a write of the status, unless it empties them.
    let said = |versions: &Value| versions.as_array().is_some_and(|versions| !versions.is_empty());
    if stored.is_some_and(|stored| stored.get("spec") == definition.get("spec"))
        && definition.pointer("/status/storedVersions").is_some_and(said)
    {
        return;
    }
    let storage = versions::storage(definition).map(str::to_owned);
    let Some(object) = definition.as_object_mut() else {
        return;
    };
    if stored.is_none() {
        let empty = json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": []});
        object.insert("status".to_owned(), empty);
    }
    let Some(storage) = storage.map(Value::String) else {
        return;
    };
    let Some(status) = object.entry("status").or_insert_with(|| json!({})).as_object_mut() else {
        return;
    };
    let versions = status.entry("storedVersions").or_insert_with(|| json!([]));
    match versions.as_array_mut() {
        Some(versions) if versions.contains(&storage) => {}
        Some(versions) => versions.push(storage),
        None => *versions = Value::Array(vec![storage]),
    }
}

fn is_blank(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).and_then(Value::as_str).is_none_or(str::is_empty)
}
