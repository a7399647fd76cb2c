//! When a definition is valid.

mod features;
mod versions;

use kubewright_machinery::object::names;
use serde_json::{Map, Value};

use crate::status::FieldError;

use features::{columns, selectable_fields, subresources};
use versions::{schemas, stored_versions, version_list};

/// Everything that is wrong with a definition; `stored` is what it replaces.
pub fn validate(definition: &Value, stored: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let empty = Map::new();
    let spec = definition.get("spec").and_then(Value::as_object).unwrap_or(&empty);
    object_name(definition, spec, &mut errors);
    group_and_scope(definition, spec, &mut errors);
    served_names(spec, &mut errors);
    version_list(definition, &mut errors);
    schemas(definition, &mut errors);
    for (index, version) in super::versions::all(definition).iter().enumerate() {
        let place = format!("spec.versions[{index}]");
        subresources(version, &place, &mut errors);
        columns(version, &place, &mut errors);
        selectable_fields(version, &place, &mut errors);
    }
    if spec.get("preserveUnknownFields") == Some(&Value::Bool(true)) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", &Value::Bool(true), detail));
    }
    conversion(spec, &mut errors);
    stored_versions(definition, &mut errors);
    if let Some(stored) = stored {
        immutable(definition, stored, &mut errors);
    }
    errors
}

fn object_name(definition: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let plural = spec.get("names").and_then(|names| names.get("plural")).and_then(Value::as_str).unwrap_or_default();
    let group = text(spec, "group");
    if name != format!("{plural}.{group}") {
        errors.push(FieldError::invalid("metadata.name", &name.into(), "must be spec.names.plural+\".\"+spec.group"));
    }
}

fn group_and_scope(definition: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let group = text(spec, "group");
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if let Some(detail) = names::dns_1123_subdomain(group).first() {
        errors.push(FieldError::invalid("spec.group", &group.into(), detail));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid("spec.group", &group.into(), "should be a domain with at least one dot"));
    }
    let protected = ["k8s.io", "kubernetes.io"].iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let annotations = definition.pointer("/metadata/annotations");
    let approval = annotations.and_then(|annotations| annotations.get("api-approved.kubernetes.io")).and_then(Value::as_str);
    if protected {
        const FIELD: &str = "metadata.annotations[api-approved.kubernetes.io]";
        const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";
        match approval {
            Some(approval) if approval.starts_with("unapproved") || approval.starts_with("https://") => {}
            None | Some("") => errors.push(FieldError::required(
                FIELD,
                format!("protected groups must have approval annotation \"api-approved.kubernetes.io\", {SEE}"),
            )),
            Some(other) => {
                let detail = format!(
                    "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting \
                     with \"unapproved\", {SEE}"
                );
                errors.push(FieldError::invalid(FIELD, &other.into(), detail));
            }
        }
    }
    match text(spec, "scope") {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported("spec.scope", &other.into(), &["Cluster", "Namespaced"])),
    }
}

fn served_names(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let empty = Map::new();
    let names = spec.get("names").and_then(Value::as_object).unwrap_or(&empty);
    let mut label = |field: String, value: &str| {
        // Kinds are labels but for their capitals.
        let is_kind = field.ends_with("ind");
        let name = if is_kind { value.to_lowercase() } else { value.to_owned() };
        if let Some(detail) = names::dns_1035_label(&name).first() {
            errors.push(FieldError::invalid(field, &value.into(), detail));
        }
    };
    for field in ["plural", "singular", "kind", "listKind"] {
        let value = text(names, field);
        if !value.is_empty() {
            label(format!("spec.names.{field}"), value);
        }
    }
    for list in ["shortNames", "categories"] {
        for (index, value) in names.get(list).and_then(Value::as_array).into_iter().flatten().enumerate() {
            label(format!("spec.names.{list}[{index}]"), value.as_str().unwrap_or_default());
        }
    }
    for field in ["plural", "kind"] {
        if text(names, field).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{field}"), ""));
        }
    }
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        errors.push(FieldError::invalid("spec.names.listKind", &kind.into(), "kind and listKind may not be the same"));
    }
}

fn conversion(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = spec.get("conversion") else {
        return;
    };
    match conversion.get("strategy").and_then(Value::as_str).unwrap_or_default() {
        "" => errors.push(FieldError::required("spec.conversion.strategy", "")),
        "None" => {
            if conversion.get("webhook").is_some_and(|webhook| !webhook.is_null()) {
                let detail = "should not be set when strategy is not set to Webhook";
                errors.push(FieldError::forbidden("spec.conversion.webhook", detail));
            }
        }
        "Webhook" => {
            if conversion.pointer("/webhook/clientConfig").is_none_or(Value::is_null) {
                let detail = "required when strategy is set to Webhook";
                errors.push(FieldError::required("spec.conversion.webhookClientConfig", detail));
            }
        }
        other => errors.push(FieldError::not_supported("spec.conversion.strategy", &other.into(), &["None", "Webhook"])),
    }
}

fn immutable(definition: &Value, stored: &Value, errors: &mut Vec<FieldError>) {
    let established = stored.pointer("/status/conditions").and_then(Value::as_array).is_some_and(|conditions| {
        conditions.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True")
    });
    let mut fields = vec![("spec.group", "/spec/group"), ("spec.names.plural", "/spec/names/plural")];
    if established {
        fields.extend([("spec.scope", "/spec/scope"), ("spec.names.kind", "/spec/names/kind")]);
    }
    for (field, pointer) in fields {
        let found = definition.pointer(pointer);
        if found != stored.pointer(pointer) {
            errors.push(FieldError::immutable(field, found.unwrap_or(&Value::Null)));
        }
    }
}

fn text<'a>(members: &'a Map<String, Value>, field: &str) -> &'a str {
    members.get(field).and_then(Value::as_str).unwrap_or_default()
}
