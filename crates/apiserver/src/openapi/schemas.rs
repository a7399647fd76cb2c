//! The schemas of a document: those of its kinds, and all schemas that they refer to.

use kubewright_machinery::object::GroupVersionKind;
use serde_json::{Map, Value, json};

use crate::forms::Definitions;
use crate::kinds::KindSpec;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
pub(super) const WATCH_EVENT: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";
pub(super) const RESOURCE_LIST: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList";
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
/// The descriptions of the fields that every object of a custom kind has.
const API_VERSION_TEXT: &str =
    "The group and version of the schema of this object. The server may reject versions that it does not serve.";
const KIND_TEXT: &str = "The kind of this object, in camel case. It cannot be changed.";
const METADATA_TEXT: &str = "The standard metadata of an object: name, labels, annotations, owners.";
const LIST_METADATA_TEXT: &str = "The standard metadata of a list: its version, and the position of the next page.";
const DEFINITIONS: &str = "#/definitions/";
const SCHEMAS: &str = "#/components/schemas/";

/// Returns the schemas of the kinds of one group and version.
pub(super) fn of(kinds: &[&KindSpec]) -> Map<String, Value> {
    let mut found = Map::new();
    for name in [DELETE_OPTIONS, PATCH, STATUS] {
        add_builtin(&mut found, name);
    }
    if kinds.iter().any(|kind| !kind.is_custom()) {
        add_builtin(&mut found, RESOURCE_LIST);
        add_builtin(&mut found, WATCH_EVENT);
    }
    for kind in kinds {
        if let Some(custom) = &kind.custom {
            let (object, list) = custom_schemas(kind, &custom.schema);
            add_references(&mut found, &object);
            add_references(&mut found, &list);
            found.extend(name_of(kind).map(|name| (name, object)));
            found.extend(list_name_of(kind).map(|name| (name, list)));
        } else {
            for name in [name_of(kind), list_name_of(kind)].into_iter().flatten() {
                add_builtin(&mut found, &name);
            }
        }
        for subresource in &kind.subresources {
            if let Some(name) = builtin_name((&subresource.group, &subresource.version, &subresource.kind)) {
                add_builtin(&mut found, &name);
            }
        }
    }
    found
}

/// Returns the name of the schema of a kind. For a custom kind it starts with the reversed group.
pub(super) fn name_of(kind: &KindSpec) -> Option<String> {
    if kind.is_custom() {
        return Some(custom_name(kind, &kind.kind));
    }
    builtin_name((&kind.group, &kind.version, &kind.kind))
}

pub(super) fn list_name_of(kind: &KindSpec) -> Option<String> {
    if kind.is_custom() {
        return Some(custom_name(kind, &kind.list_kind));
    }
    builtin_name((&kind.group, &kind.version, &kind.list_kind))
}

pub(super) fn builtin_name((group, version, kind): (&str, &str, &str)) -> Option<String> {
    Definitions::embedded().name_of(&GroupVersionKind::new(group, version, kind)).map(str::to_owned)
}

fn custom_name(kind: &KindSpec, name: &str) -> String {
    let reversed: Vec<_> = kind.group.rsplit('.').collect();
    format!("{}.{}.{name}", reversed.join("."), kind.version)
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("{SCHEMAS}{name}")})
}

fn add_builtin(found: &mut Map<String, Value>, name: &str) {
    if found.contains_key(name) {
        return;
    }
    let Some(schema) = Definitions::embedded().schema(name) else {
        return;
    };
    // The name is registered before the references are followed, because types can refer to themselves.
    found.insert(name.to_owned(), Value::Null);
    let schema = published(schema);
    add_references(found, &schema);
    found.insert(name.to_owned(), schema);
}

fn add_references(found: &mut Map<String, Value>, schema: &Value) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = members.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(SCHEMAS)) {
                add_builtin(found, name);
            }
            members.values().for_each(|member| add_references(found, member));
        }
        Value::Array(items) => items.iter().for_each(|item| add_references(found, item)),
        _ => {}
    }
}

/// Converts a definition to version 3: references point to the schemas of the document, and a reference with siblings is wrapped in `allOf`.
fn published(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut members: Map<String, Value> =
                members.iter().map(|(name, member)| (name.clone(), published(member))).collect();
            let name =
                members.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(DEFINITIONS)).map(str::to_owned);
            if let Some(name) = name {
                members.remove("$ref");
                if members.is_empty() {
                    return reference(&name);
                }
                members.insert("allOf".to_owned(), json!([reference(&name)]));
            }
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(published).collect(),
        other => other.clone(),
    }
}

/// Returns the schemas of a custom kind and of its list.
fn custom_schemas(kind: &KindSpec, schema: &Value) -> (Value, Value) {
    let gvk = |name: &str| json!([{"group": kind.group, "version": kind.version, "kind": name}]);
    let mut object = published_custom(schema);
    if let Some(members) = object.as_object_mut() {
        members.insert("x-kubernetes-group-version-kind".to_owned(), gvk(&kind.kind));
        let selectable = kind.custom.as_ref().map(|custom| custom.selectable_fields.as_slice()).unwrap_or_default();
        if !selectable.is_empty() {
            let fields: Vec<_> = selectable.iter().map(|field| json!({"fieldPath": field.to_string()})).collect();
            members.insert("x-kubernetes-selectable-fields".to_owned(), fields.into());
        }
        let properties = members.entry("properties").or_insert_with(|| json!({}));
        properties.as_object_mut().into_iter().for_each(add_identity);
    }
    let items = json!({"type": "array", "items": reference(&custom_name(kind, &kind.kind)), "description": format!("The {}.", kind.plural)});
    let mut list = json!({"type": "object", "required": ["items"], "x-kubernetes-group-version-kind": gvk(&kind.list_kind),
    "description": format!("{} is a list of {}.", kind.list_kind, kind.kind),
    "properties": {
        "apiVersion": described(json!({"type": "string"}), API_VERSION_TEXT), "kind": described(json!({"type": "string"}), KIND_TEXT),
        "metadata": described(json!({"allOf": [reference(&format!("{META}.ListMeta"))]}), LIST_METADATA_TEXT), "items": items,
    }});
    if let Some(fields) = object.get("x-kubernetes-selectable-fields") {
        list["x-kubernetes-selectable-fields"] = fields.clone();
    }
    (object, list)
}

/// Publishes the meaning of two extensions in standard terms: int-or-string as a choice of two types, embedded resources with their metadata.
fn published_custom(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut members: Map<String, Value> =
                members.iter().map(|(name, member)| (name.clone(), published_custom(member))).collect();
            if members.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)) {
                embed(&mut members);
            }
            if members.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) && !members.contains_key("anyOf") {
                members.insert("anyOf".to_owned(), json!([{"type": "integer"}, {"type": "string"}]));
            }
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(published_custom).collect(),
        other => other.clone(),
    }
}

/// Adds the members that an embedded object must have.
fn embed(members: &mut Map<String, Value>) {
    members.entry("properties").or_insert_with(|| json!({})).as_object_mut().into_iter().for_each(add_identity);
    if let Some(required) = members.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        for name in ["kind", "apiVersion"] {
            if !required.iter().any(|known| known == name) {
                required.push(name.into());
            }
        }
    }
}

/// Adds the fields that every object has, with their descriptions.
fn add_identity(properties: &mut Map<String, Value>) {
    properties.insert("apiVersion".to_owned(), described(json!({"type": "string"}), API_VERSION_TEXT));
    properties.insert("kind".to_owned(), described(json!({"type": "string"}), KIND_TEXT));
    let metadata = json!({"allOf": [reference(&format!("{META}.ObjectMeta"))]});
    properties.insert("metadata".to_owned(), described(metadata, METADATA_TEXT));
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}
