//! Warnings about definitions and instances that are valid but probably not intended.

use std::collections::HashSet;

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::Value;

use super::versions;

/// Warns about formats that are not checked, unless the stored definition already has them.
pub(super) fn unknown_formats(definition: &Value, stored: Option<&Value>) -> Vec<String> {
    let known: HashSet<String> = stored.map(formats).unwrap_or_default().into_iter().collect();
    let found = formats(definition).into_iter().filter(|format| !known.contains(format));
    found.map(|format| format!("unrecognized format {format:?}")).collect()
}

/// Warns that no webhook is called to convert objects, unless the stored definition already declares one (CRD-10).
pub(super) fn uncalled_webhook(definition: &Value, stored: Option<&Value>) -> Option<String> {
    let wants =
        |definition: &Value| definition["spec"]["conversion"]["strategy"] == "Webhook" && versions::all(definition).len() > 1;
    let is_new = wants(definition) && !stored.is_some_and(wants);
    is_new.then(|| {
        "spec.conversion.strategy: this server calls no conversion webhooks; of an object that is read in another version than it is stored in \
         only the apiVersion changes"
            .to_owned()
    })
}

fn formats(definition: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let schemas: Vec<_> = versions::all(definition).iter().map(versions::schema).collect();
    let differ = schemas.iter().any(|other| *other != schemas[0]);
    for (index, schema) in schemas.iter().enumerate() {
        // A schema that all versions have in common is reported once.
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
    if !text("format").is_empty() && !kubewright_schema::is_known_format(text("type"), text("format")) {
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

/// Warns about finalizers of an instance without a domain, unless the stored instance already has them.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // CRD-10
    #[test]
    fn a_conversion_webhook_causes_a_warning_only_when_it_is_first_declared() {
        let definition = |strategy: &str, versions: usize| {
            let versions: Vec<Value> = (1..=versions).map(|version| json!({"name": format!("v{version}")})).collect();
            json!({"spec": {"conversion": {"strategy": strategy}, "versions": versions}})
        };
        let two = definition("Webhook", 2);
        assert!(uncalled_webhook(&two, None).is_some_and(|text| text.contains("calls no conversion webhooks")));
        assert!(uncalled_webhook(&two, Some(&definition("None", 2))).is_some());
        assert_eq!(uncalled_webhook(&two, Some(&two)), None);
        assert_eq!(uncalled_webhook(&definition("Webhook", 1), None), None);
        assert_eq!(uncalled_webhook(&definition("None", 2), None), None);
    }
}
