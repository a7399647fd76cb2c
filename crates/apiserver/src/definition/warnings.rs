//! What is allowed in a definition and probably not meant.

use std::collections::HashSet;

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::Value;

use crate::schema;

use super::versions;

/// Formats that nothing checks, unless the stored definition has them already.
pub(super) fn unknown_formats(definition: &Value, stored: Option<&Value>) -> Vec<String> {
    let known: HashSet<String> = stored.map(formats).unwrap_or_default().into_iter().collect();
    let found = formats(definition).into_iter().filter(|format| !known.contains(format));
    found.map(|format| format!("unrecognized format {format:?}")).collect()
}

fn formats(definition: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let schemas: Vec<_> = versions::all(definition).iter().map(versions::schema).collect();
    let differ = schemas.iter().any(|other| *other != schemas[0]);
    for (index, schema) in schemas.iter().enumerate() {
        // One schema for all versions counts once.
        if (index == 0 || differ)
            && let Some(schema) = schema
        {
            collect(schema, &mut found);
        }
    }
    found
}

fn collect(schema: &Value, found: &mut Vec<String>) {
    let Some(members) = schema.as_object() else {
        return;
    };
    let text = |field: &str| members.get(field).and_then(Value::as_str).unwrap_or_default();
    if !text("format").is_empty() && !schema::is_known_format(text("type"), text("format")) {
        found.push(text("format").to_owned());
    }
    for (name, value) in members {
        match name.as_str() {
            "items" | "not" | "additionalProperties" => collect(value, found),
            "allOf" | "anyOf" | "oneOf" => value.as_array().into_iter().flatten().for_each(|schema| collect(schema, found)),
            "properties" => value.as_object().into_iter().flatten().for_each(|(_, schema)| collect(schema, found)),
            _ => {}
        }
    }
}

/// Finalizers of an instance without a domain, unless it has them already.
pub(super) fn finalizers(object: &Value, stored: Option<&Value>) -> Vec<String> {
    const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];
    let known: HashSet<&str> = stored.map(|stored| stored.finalizers().collect()).unwrap_or_default();
    let mut added: Vec<&str> = object.finalizers().filter(|finalizer| !known.contains(finalizer)).collect();
    added.sort_unstable();
    added.dedup();
    let mut warnings = Vec::new();
    for finalizer in added {
        let mut warn = |text: &str| warnings.push(format!("metadata.finalizers: {finalizer:?}: {text}"));
        for problem in &names::qualified_name(finalizer) {
            warn(problem);
        }
        if !finalizer.contains('/') && !STANDARD.contains(&finalizer) {
            let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
            warn(&format!(
                "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
            ));
        }
    }
    warnings
}
