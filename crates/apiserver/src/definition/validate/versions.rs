//! Validation of the versions of a definition: their names, their schemas, and the storage version.

use std::collections::HashSet;

use kubewright_machinery::object::names;
use kubewright_schema::{FieldError, FieldReason, SchemaContext};
use serde_json::Value;

use super::features;
use super::names::joined;
use crate::definition::versions;

/// The fields that all versions have in common and that are therefore reported at one path.
#[derive(Clone, Copy)]
struct Common {
    schema: bool,
    subresources: bool,
    columns: bool,
    selectable: bool,
}

impl Common {
    fn of(versions: &[Value]) -> Self {
        let same = |field: &str| match versions {
            [] => false,
            [first, others @ ..] => others.iter().all(|other| given(other, field) == given(first, field)),
        };
        Self {
            schema: same("schema"),
            subresources: same("subresources"),
            columns: same("additionalPrinterColumns"),
            selectable: same("selectableFields"),
        }
    }
}

/// Returns a field of a version, unless it is absent, null or an empty list.
fn given<'a>(version: &'a Value, field: &str) -> Option<&'a Value> {
    version.get(field).filter(|value| !value.is_null() && !value.as_array().is_some_and(Vec::is_empty))
}

pub(super) fn check(definition: &Value, stored: Option<&Value>, errors: &mut Vec<FieldError>) {
    let versions = versions::all(definition);
    let common = Common::of(versions);
    let first = versions.first();
    let has_schema = |version: &Value| versions::schema(version).is_some();
    if !(common.schema && first.is_some_and(has_schema)) {
        for (index, _) in versions.iter().enumerate().filter(|(_, version)| !has_schema(version)) {
            errors.push(FieldError::required(format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
        }
    }
    for (index, version) in versions.iter().enumerate() {
        one(version, stored, common, &format!("spec.versions[{index}]"), errors);
    }
    let absent = definition.pointer("/spec/versions").is_none_or(Value::is_null);
    about_all(versions, absent, common, errors);
    let Some(first) = first else {
        return;
    };
    // The real server keeps the first version in a second field and reports its errors twice.
    let name = versions::name(first);
    if !name.is_empty()
        && let Some(details) = joined(names::dns_1035_label(name))
    {
        errors.push(FieldError::invalid("spec.version", &name.into(), details));
    }
    if common.schema
        && let Some(schema) = versions::schema(first)
    {
        let context = SchemaContext { status: versions.iter().any(has_status), unchanged: is_unchanged(first, stored) };
        errors.extend(kubewright_schema::check(schema, "spec.validation.openAPIV3Schema", context));
    }
    if common.subresources {
        features::subresources(first, "spec", errors);
    }
    if common.columns {
        features::columns(first, "spec", errors);
    }
    if common.selectable {
        features::selectable_fields(first, "spec", stored, errors);
    }
}

fn one(version: &Value, stored: Option<&Value>, common: Common, path: &str, errors: &mut Vec<FieldError>) {
    let name = versions::name(version);
    if let Some(details) = joined(names::dns_1035_label(name)) {
        errors.push(FieldError::invalid(format!("{path}.name"), &name.into(), details));
    }
    deprecation(version, path, errors);
    if !common.schema
        && let Some(schema) = versions::schema(version)
    {
        let context = SchemaContext { status: has_status(version), unchanged: is_unchanged(version, stored) };
        errors.extend(kubewright_schema::check(schema, &format!("{path}.schema.openAPIV3Schema"), context));
    }
    if !common.subresources {
        features::subresources(version, path, errors);
    }
    if !common.columns {
        features::columns(version, path, errors);
    }
    if !common.selectable {
        features::selectable_fields(version, path, stored, errors);
    }
}

fn has_status(version: &Value) -> bool {
    version.pointer("/subresources/status").is_some_and(Value::is_object)
}

/// Returns true if the stored definition has the same schema for a version.
fn is_unchanged(version: &Value, stored: Option<&Value>) -> bool {
    let before = stored.map(versions::all).unwrap_or_default();
    let before = before.iter().find(|before| versions::name(before) == versions::name(version));
    before.is_some_and(|before| versions::schema(before) == versions::schema(version))
}

fn deprecation(version: &Value, path: &str, errors: &mut Vec<FieldError>) {
    const LONGEST: usize = 256;
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else {
        return;
    };
    let mut invalid = |detail: String| {
        errors.push(FieldError::invalid(format!("{path}.deprecationWarning"), &warning.into(), detail));
    };
    if !versions::is(version, "deprecated") {
        return invalid("can only be set for deprecated versions".to_owned());
    }
    if warning.len() > LONGEST {
        invalid(format!("must be <= {LONGEST} characters long"));
    }
    if warning.is_empty() {
        invalid("must not be an empty string".to_owned());
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, c)| c.is_control() || (c.is_whitespace() && *c != ' ')) {
        invalid(format!("must only contain printable UTF-8 characters; non-printable character found at index {index}"));
    }
}

/// Reports errors about all versions together, which the real server quotes in the form of its internal struct.
fn about_all(versions: &[Value], absent: bool, common: Common, errors: &mut Vec<FieldError>) {
    let mut complain = |detail: &str| {
        let rows: Vec<_> = versions.iter().map(|version| row(version, common)).collect();
        let shown = if absent { "null".to_owned() } else { format!("[{}]", rows.join(",")) };
        let message = format!("Invalid value: {shown}: {detail}");
        errors.push(FieldError::new("spec.versions", FieldReason::Invalid, message));
    };
    let names: Vec<_> = versions.iter().map(versions::name).collect();
    if names.iter().collect::<HashSet<_>>().len() < names.len() {
        complain("must contain unique version names");
    }
    if versions.iter().filter(|version| versions::is(version, "storage")).count() != 1 {
        complain("must have exactly one version marked as storage version");
    }
}

/// Returns a version as the real server quotes it, without the fields that all versions have in common.
fn row(version: &Value, common: Common) -> String {
    let own = |field: &str, common: bool| match given(version, field) {
        Some(value) if !common => value.to_string(),
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
        own("schema", common.schema),
        own("subresources", common.subresources),
        own("additionalPrinterColumns", common.columns),
        own("selectableFields", common.selectable),
    )
}
