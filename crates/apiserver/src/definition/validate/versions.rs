//! The versions of a definition: their names, their schemas, and which of them is stored.

use kubewright_machinery::object::names;
use serde_json::Value;

use crate::definition::versions;
use crate::schema;
use crate::status::{FieldError, FieldReason};

pub(super) fn version_list(definition: &Value, errors: &mut Vec<FieldError>) {
    let versions = versions::all(definition);
    if versions.is_empty() {
        errors.push(FieldError::required("spec.versions", "must have at least one version"));
    }
    let mut seen = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let name = versions::name(version);
        let field = format!("spec.versions[{index}].name");
        if let Some(detail) = names::dns_1035_label(name).first() {
            errors.push(FieldError::invalid(field, &name.into(), detail));
            if index == 0 {
                // The real server keeps the first version in a second place and says so twice.
                errors.push(FieldError::invalid("spec.version", &name.into(), detail));
            }
        } else if seen.contains(&name) {
            errors.push(about_all(versions, "must contain unique version names"));
        }
        seen.push(name);
        let warning = version.get("deprecationWarning").and_then(Value::as_str);
        if let Some(warning) = warning.filter(|_| !versions::is(version, "deprecated")) {
            let field = format!("spec.versions[{index}].deprecationWarning");
            errors.push(FieldError::invalid(field, &warning.into(), "can only be set for deprecated versions"));
        }
    }
    let storage = versions.iter().filter(|version| versions::is(version, "storage")).count();
    if !versions.is_empty() && storage != 1 {
        errors.push(about_all(versions, "must have exactly one version marked as storage version"));
    }
}

/// A complaint about all versions, which the real server prints as its own struct, without what is the same in all of them.
fn about_all(versions: &[Value], detail: &str) -> FieldError {
    let row = |version: &Value| {
        let own = |field: &str| match version.get(field) {
            Some(value) if versions.iter().any(|other| other.get(field) != Some(value)) => value.to_string(),
            _ => "null".to_owned(),
        };
        format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":{},\"Subresources\":{},\
             \"AdditionalPrinterColumns\":{},\"SelectableFields\":{}}}",
            Value::from(versions::name(version)),
            versions::is(version, "served"),
            versions::is(version, "storage"),
            versions::is(version, "deprecated"),
            version.get("deprecationWarning").unwrap_or(&Value::Null),
            own("schema"),
            own("subresources"),
            own("additionalPrinterColumns"),
            own("selectableFields"),
        )
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    FieldError::new("spec.versions", FieldReason::Invalid, format!("Invalid value: [{}]: {detail}", rows.join(",")))
}

pub(super) fn schemas(definition: &Value, errors: &mut Vec<FieldError>) {
    let versions = versions::all(definition);
    let mut complete = true;
    for (index, version) in versions.iter().enumerate() {
        if versions::schema(version).is_none() {
            errors.push(FieldError::required(format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
            complete = false;
        }
    }
    let Some(first) = versions.first().filter(|_| complete) else {
        return;
    };
    // One schema for all versions is kept, and reported, in one place.
    if versions.iter().all(|version| version.get("schema") == first.get("schema")) {
        errors.extend(schema::check(versions::schema(first).unwrap_or(&Value::Null), "spec.validation.openAPIV3Schema"));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let place = format!("spec.versions[{index}].schema.openAPIV3Schema");
        errors.extend(schema::check(versions::schema(version).unwrap_or(&Value::Null), &place));
    }
}

pub(super) fn stored_versions(definition: &Value, errors: &mut Vec<FieldError>) {
    let Some(stored) = definition.pointer("/status/storedVersions") else {
        return;
    };
    let versions = versions::all(definition);
    // Of several storage versions, which is an error of its own, the last one counts here.
    let storage = versions.iter().rfind(|version| versions::is(version, "storage")).map(versions::name);
    let has = |name: &str| stored.as_array().is_some_and(|stored| stored.iter().any(|version| version == name));
    if let Some(storage) = storage.filter(|storage| !has(storage)) {
        errors.push(FieldError::invalid("status.storedVersions", stored, format!("must have the storage version {storage}")));
    }
    for (index, name) in stored.as_array().into_iter().flatten().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if !versions.iter().any(|version| versions::name(version) == name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage \
                 migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(format!("status.storedVersions[{index}]"), &name.into(), detail));
        }
    }
}
