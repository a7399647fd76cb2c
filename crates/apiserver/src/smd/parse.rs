//! Conversion of published schemas to types (SMD-3).

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

use super::types::{List, ListKey, Map, Named, PartType, Scalar, Type};
use crate::forms::Definitions;

const REFERENCE: &str = "#/definitions/";
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// The published definitions by name; all servers of the process share their types.
static NAMED: LazyLock<HashMap<&'static str, Named>> =
    LazyLock::new(|| Definitions::embedded().names().map(|name| (name, Named { name, type_: OnceLock::new() })).collect());

impl Type {
    /// Returns the type of a built-in kind, by the name of its definition, such as `io.k8s.api.core.v1.Pod`.
    pub fn builtin(definition: &str) -> Option<&'static Self> {
        NAMED.get(definition).map(Named::get)
    }

    /// Returns the type of a custom resource with the given `openAPIV3Schema`.
    pub fn custom(schema: &Value) -> Self {
        let mut type_ = parse(schema, false);
        let map = type_.map.get_or_insert_default();
        map.atomic = false;
        map.embed();
        type_
    }
}

impl Map {
    /// Adds the members that every object has.
    fn embed(&mut self) {
        let own = [
            ("apiVersion", PartType::inline(Type::scalar(Scalar::String))),
            ("kind", PartType::inline(Type::scalar(Scalar::String))),
            ("metadata", named(OBJECT_META).unwrap_or(PartType::Deduced)),
        ];
        self.fields.retain(|(name, _)| own.iter().all(|(own, _)| name != own));
        self.fields.extend(own.map(|(name, reference)| (name.to_owned(), reference)));
        self.fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
}

impl Named {
    pub(super) fn get(&self) -> &Type {
        self.type_.get_or_init(|| match self.name.rsplit('.').next() {
            // The published definition does not show that these types can be written in several ways.
            Some("Quantity" | "IntOrString") => Type::scalar(Scalar::Untyped),
            Some("RawExtension") => Type::atomic(),
            _ => Definitions::embedded().schema(self.name).map(|schema| parse(schema, false)).unwrap_or_default(),
        })
    }
}

impl Type {
    /// Returns the type of any value that is owned as a whole.
    fn atomic() -> Self {
        let mut type_ = Self::deduced().clone();
        if let Some(map) = &mut type_.map {
            map.atomic = true;
        }
        type_
    }
}

impl PartType {
    fn inline(type_: Type) -> Self {
        Self::Inline(Box::new(type_))
    }
}

fn named(definition: &str) -> Option<PartType> {
    NAMED.get(definition).map(PartType::Named)
}

/// Returns the type of a part, which may be a reference. `open` is true if a schema around the part preserves unknown fields.
fn reference(schema: &Value, open: bool) -> PartType {
    let Some(target) = schema["$ref"].as_str() else { return PartType::inline(parse(schema, open)) };
    let Some(found) = named(target.strip_prefix(REFERENCE).unwrap_or(target)) else { return PartType::Deduced };
    // A reference can itself declare whether its target is atomic.
    let Some(marked) = atomic_map(schema) else { return found };
    let mut type_ = found.get().clone();
    if let Some(map) = &mut type_.map {
        map.atomic = marked;
    }
    PartType::inline(type_)
}

fn parse(schema: &Value, open: bool) -> Type {
    let marked = |mark: &str| schema[mark] == true;
    let open = open || marked("x-kubernetes-preserve-unknown-fields");
    // The published schema of such a field has alternatives instead of a type.
    if marked("x-kubernetes-int-or-string") {
        return Type::deduced().clone();
    }
    match schema["type"].as_str() {
        Some("object") => Type::map(map(schema, open)),
        Some("array") => Type::list(list(schema, open)),
        Some("integer" | "number") => Type::scalar(Scalar::Numeric),
        Some("boolean") => Type::scalar(Scalar::Boolean),
        Some("string") => Type::scalar(match schema["format"].as_str() {
            None | Some("" | "byte") => Scalar::String,
            Some(_) => Scalar::Untyped,
        }),
        // A schema without a type admits any JSON.
        _ if open || schema["format"].is_null() => Type::deduced().clone(),
        _ => Type::scalar(Scalar::Untyped),
    }
}

fn map(schema: &Value, open: bool) -> Map {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<_> = properties.map(|(name, schema)| (name.clone(), reference(schema, open))).collect();
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    let entries = match &schema["additionalProperties"] {
        members @ Value::Object(_) => Some(reference(members, open)),
        Value::Bool(true) => Some(PartType::Deduced),
        _ if fields.is_empty() || open => Some(PartType::Deduced),
        _ => None,
    };
    let mut map = Map { atomic: atomic_map(schema) == Some(true), fields, entries };
    if schema["x-kubernetes-embedded-resource"] == true {
        map.embed();
    }
    map
}

fn atomic_map(schema: &Value) -> Option<bool> {
    schema["x-kubernetes-map-type"].as_str().map(|marked| marked == "atomic")
}

fn list(schema: &Value, open: bool) -> List {
    let items = &schema["items"];
    let strategy = schema["x-kubernetes-patch-strategy"].as_str().unwrap_or_default();
    let merged = strategy.split(',').any(|part| part == "merge");
    let (atomic, keys) = match (schema["x-kubernetes-list-type"].as_str(), schema["x-kubernetes-patch-merge-key"].as_str()) {
        (Some("map"), _) => {
            (false, schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect())
        }
        (Some("set"), _) => (false, Vec::new()),
        (None, key) if merged => (false, key.into_iter().collect()),
        _ => (true, Vec::new()),
    };
    let mut keys: Vec<_> =
        keys.into_iter().map(|name| ListKey { name: name.to_owned(), default: key_default(items, name) }).collect();
    keys.sort_by(|a, b| a.name.cmp(&b.name));
    List { atomic, keys, items: reference(items, open) }
}

/// Returns the default of a key field, which identifies items that omit the field (SMD-4).
fn key_default(items: &Value, field: &str) -> Option<Value> {
    let Some(target) = items["$ref"].as_str() else { return items["properties"][field].get("default").cloned() };
    let definition = target.strip_prefix(REFERENCE)?;
    let definitions = Definitions::embedded();
    let mut required = definitions.schema(definition)?["required"].as_array().into_iter().flatten();
    definitions.declared_default(definition, field, required.any(|required| required == field))
}
