//! When a definition is valid.

use kubewright_machinery::object::names;
use serde_json::{Map, Value};

use crate::schema;
use crate::status::{FieldError, FieldReason};

use super::versions;

/// Everything that is wrong with a definition; `stored` is what it replaces.
pub fn validate(definition: &Value, stored: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let empty = Map::new();
    let spec = definition
        .get("spec")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    object_name(definition, spec, &mut errors);
    group_and_scope(definition, spec, &mut errors);
    served_names(spec, &mut errors);
    version_list(definition, &mut errors);
    schemas(definition, &mut errors);
    for (index, version) in versions::all(definition).iter().enumerate() {
        let place = format!("spec.versions[{index}]");
        subresources(version, &place, &mut errors);
        columns(version, &place, &mut errors);
        selectable_fields(version, &place, &mut errors);
    }
    if spec.get("preserveUnknownFields") == Some(&Value::Bool(true)) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid(
            "spec.preserveUnknownFields",
            &Value::Bool(true),
            detail,
        ));
    }
    conversion(spec, &mut errors);
    stored_versions(definition, &mut errors);
    if let Some(stored) = stored {
        immutable(definition, stored, &mut errors);
    }
    errors
}

fn object_name(definition: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let name = definition
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let plural = spec
        .get("names")
        .and_then(|names| names.get("plural"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let group = text(spec, "group");
    if name != format!("{plural}.{group}") {
        errors.push(FieldError::invalid(
            "metadata.name",
            &name.into(),
            "must be spec.names.plural+\".\"+spec.group",
        ));
    }
}

fn group_and_scope(definition: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let group = text(spec, "group");
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if let Some(detail) = names::dns_1123_subdomain(group).first() {
        errors.push(FieldError::invalid("spec.group", &group.into(), detail));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid(
            "spec.group",
            &group.into(),
            "should be a domain with at least one dot",
        ));
    }
    let protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let annotations = definition.pointer("/metadata/annotations");
    let approval = annotations
        .and_then(|annotations| annotations.get("api-approved.kubernetes.io"))
        .and_then(Value::as_str);
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
        other => errors.push(FieldError::not_supported(
            "spec.scope",
            &other.into(),
            &["Cluster", "Namespaced"],
        )),
    }
}

fn served_names(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let empty = Map::new();
    let names = spec
        .get("names")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let mut label = |field: String, value: &str| {
        // Kinds are labels but for their capitals.
        let is_kind = field.ends_with("ind");
        let name = if is_kind {
            value.to_lowercase()
        } else {
            value.to_owned()
        };
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
        for (index, value) in names
            .get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            label(
                format!("spec.names.{list}[{index}]"),
                value.as_str().unwrap_or_default(),
            );
        }
    }
    for field in ["plural", "kind"] {
        if text(names, field).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{field}"), ""));
        }
    }
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        errors.push(FieldError::invalid(
            "spec.names.listKind",
            &kind.into(),
            "kind and listKind may not be the same",
        ));
    }
}

fn version_list(definition: &Value, errors: &mut Vec<FieldError>) {
    let versions = versions::all(definition);
    if versions.is_empty() {
        errors.push(FieldError::required(
            "spec.versions",
            "must have at least one version",
        ));
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
            errors.push(FieldError::invalid(
                field,
                &warning.into(),
                "can only be set for deprecated versions",
            ));
        }
    }
    let storage = versions
        .iter()
        .filter(|version| versions::is(version, "storage"))
        .count();
    if !versions.is_empty() && storage != 1 {
        errors.push(about_all(
            versions,
            "must have exactly one version marked as storage version",
        ));
    }
}

/// A complaint about all versions, which the real server prints as its own struct, without what is the same in all of them.
fn about_all(versions: &[Value], detail: &str) -> FieldError {
    let row = |version: &Value| {
        let own = |field: &str| match version.get(field) {
            Some(value) if versions.iter().any(|other| other.get(field) != Some(value)) => {
                value.to_string()
            }
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
    FieldError::new(
        "spec.versions",
        FieldReason::Invalid,
        format!("Invalid value: [{}]: {detail}", rows.join(",")),
    )
}

fn schemas(definition: &Value, errors: &mut Vec<FieldError>) {
    let versions = versions::all(definition);
    let mut complete = true;
    for (index, version) in versions.iter().enumerate() {
        if versions::schema(version).is_none() {
            errors.push(FieldError::required(
                format!("spec.versions[{index}].schema.openAPIV3Schema"),
                "",
            ));
            complete = false;
        }
    }
    let Some(first) = versions.first().filter(|_| complete) else {
        return;
    };
    // One schema for all versions is kept, and reported, in one place.
    if versions
        .iter()
        .all(|version| version.get("schema") == first.get("schema"))
    {
        errors.extend(schema::check(
            versions::schema(first).unwrap_or(&Value::Null),
            "spec.validation.openAPIV3Schema",
        ));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let place = format!("spec.versions[{index}].schema.openAPIV3Schema");
        errors.extend(schema::check(
            versions::schema(version).unwrap_or(&Value::Null),
            &place,
        ));
    }
}

fn subresources(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = version.pointer("/subresources/scale") else {
        return;
    };
    let mut check = |field: &str, root: &str, optional: bool| {
        let place = format!("{place}.subresources.scale.{field}");
        match scale.get(field).and_then(Value::as_str).unwrap_or_default() {
            "" if optional => {}
            "" => errors.push(FieldError::required(place, "")),
            path if path.contains('[') => errors.push(FieldError::invalid(
                place,
                &path.into(),
                "should be a simple json path",
            )),
            path if !path.starts_with(root) && !(optional && path.starts_with(".spec.")) => {
                let detail = format!("should be a json path under {}", root.trim_end_matches('.'));
                errors.push(FieldError::invalid(place, &path.into(), detail));
            }
            _ => {}
        }
    };
    check("specReplicasPath", ".spec.", false);
    check("statusReplicasPath", ".status.", false);
    check("labelSelectorPath", ".status.", true);
}

fn columns(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 10] = [
        "byte",
        "date",
        "date-time",
        "double",
        "float",
        "int32",
        "int64",
        "password",
        "binary",
        "name",
    ];
    for (index, column) in version
        .get("additionalPrinterColumns")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let place = format!("{place}.additionalPrinterColumns[{index}]");
        let text = |field: &str| {
            column
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        for field in ["name", "type", "jsonPath"] {
            if text(field).is_empty() {
                errors.push(FieldError::required(format!("{place}.{field}"), ""));
            }
        }
        if !text("type").is_empty() && !TYPES.contains(&text("type")) {
            errors.push(FieldError::not_supported(
                format!("{place}.type"),
                &text("type").into(),
                &TYPES,
            ));
        }
        if !text("format").is_empty() && !FORMATS.contains(&text("format")) {
            errors.push(FieldError::not_supported(
                format!("{place}.format"),
                &text("format").into(),
                &FORMATS,
            ));
        }
        if !text("jsonPath").is_empty()
            && let Err(error) = crate::tables::JsonPath::parse(text("jsonPath"))
        {
            errors.push(FieldError::invalid(
                format!("{place}.jsonPath"),
                &text("jsonPath").into(),
                error.to_string(),
            ));
        }
    }
}

fn selectable_fields(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let fields = version
        .get("selectableFields")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    if fields.len() > 8 {
        errors.push(FieldError::too_many(
            format!("{place}.selectableFields"),
            fields.len(),
            8,
        ));
    }
    let mut seen = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let place = format!("{place}.selectableFields[{index}].jsonPath");
        let path = field
            .get("jsonPath")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if path.is_empty() {
            errors.push(FieldError::required(place, ""));
        } else if path.starts_with(".metadata.") || !path.starts_with('.') || path.contains('[') {
            let detail = "is an invalid path: must be a simple path to a string, boolean or integer field outside metadata";
            errors.push(FieldError::invalid(place, &path.into(), detail));
        } else if seen.contains(&path) {
            errors.push(FieldError::duplicate(place, &path.into()));
        } else if !versions::schema(version).is_some_and(|schema| is_scalar(schema, path)) {
            let detail = "is an invalid path: does not refer to a valid field";
            errors.push(FieldError::invalid(place, &path.into(), detail));
        }
        seen.push(path);
    }
}

fn is_scalar(schema: &Value, path: &str) -> bool {
    let mut members = path.trim_start_matches('.').split('.');
    let found = members.try_fold(schema, |schema, member| {
        schema.get("properties")?.get(member)
    });
    found
        .and_then(|schema| schema.get("type")?.as_str())
        .is_some_and(|name| matches!(name, "string" | "boolean" | "integer"))
}

fn conversion(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = spec.get("conversion") else {
        return;
    };
    match conversion
        .get("strategy")
        .and_then(Value::as_str)
        .unwrap_or_default()
    {
        "" => errors.push(FieldError::required("spec.conversion.strategy", "")),
        "None" => {
            if conversion
                .get("webhook")
                .is_some_and(|webhook| !webhook.is_null())
            {
                let detail = "should not be set when strategy is not set to Webhook";
                errors.push(FieldError::forbidden("spec.conversion.webhook", detail));
            }
        }
        "Webhook" => {
            if conversion
                .pointer("/webhook/clientConfig")
                .is_none_or(Value::is_null)
            {
                let detail = "required when strategy is set to Webhook";
                errors.push(FieldError::required(
                    "spec.conversion.webhookClientConfig",
                    detail,
                ));
            }
        }
        other => errors.push(FieldError::not_supported(
            "spec.conversion.strategy",
            &other.into(),
            &["None", "Webhook"],
        )),
    }
}

fn stored_versions(definition: &Value, errors: &mut Vec<FieldError>) {
    let Some(stored) = definition.pointer("/status/storedVersions") else {
        return;
    };
    let versions = versions::all(definition);
    // Of several storage versions, which is an error of its own, the last one counts here.
    let storage = versions
        .iter()
        .rfind(|version| versions::is(version, "storage"))
        .map(versions::name);
    let has = |name: &str| {
        stored
            .as_array()
            .is_some_and(|stored| stored.iter().any(|version| version == name))
    };
    if let Some(storage) = storage.filter(|storage| !has(storage)) {
        errors.push(FieldError::invalid(
            "status.storedVersions",
            stored,
            format!("must have the storage version {storage}"),
        ));
    }
    for (index, name) in stored.as_array().into_iter().flatten().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if !versions
            .iter()
            .any(|version| versions::name(version) == name)
        {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage \
                 migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(
                format!("status.storedVersions[{index}]"),
                &name.into(),
                detail,
            ));
        }
    }
}

fn immutable(definition: &Value, stored: &Value, errors: &mut Vec<FieldError>) {
    let established = stored
        .pointer("/status/conditions")
        .and_then(Value::as_array)
        .is_some_and(|conditions| {
            conditions.iter().any(|condition| {
                condition["type"] == "Established" && condition["status"] == "True"
            })
        });
    let mut fields = vec![
        ("spec.group", "/spec/group"),
        ("spec.names.plural", "/spec/names/plural"),
    ];
    if established {
        fields.extend([
            ("spec.scope", "/spec/scope"),
            ("spec.names.kind", "/spec/names/kind"),
        ]);
    }
    for (field, pointer) in fields {
        let found = definition.pointer(pointer);
        if found != stored.pointer(pointer) {
            errors.push(FieldError::immutable(field, found.unwrap_or(&Value::Null)));
        }
    }
}

fn text<'a>(members: &'a Map<String, Value>, field: &str) -> &'a str {
    members
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
