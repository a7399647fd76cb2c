//! The kinds that a definition adds, one for each version that it serves.

use std::sync::Arc;

use kubewright_machinery::object::Scope;
use kubewright_middleware::Verb;
use kubewright_schema::Schema;
use serde_json::Value;

use super::model::CustomModel;
use super::versions;
use crate::kinds::{
    Column, Columns, CustomKind, Derived, FieldPath, Flags, GcDefault, Generation, KindSpec, Reset, Scale, ScaleSelector,
    StorageId, Subresource, Verbs, compare_versions,
};
use crate::smd::Type;

/// Returns the kinds of a valid definition, one for each served version. The schema of each version is compiled once.
pub fn kinds(definition: &Value) -> Vec<KindSpec> {
    let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let texts = |pointer: &str| -> Vec<String> {
        let list = definition.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // A definition whose names are not accepted yet has the names that its spec requests.
    let names = if text("/status/acceptedNames/plural").is_empty() { "/spec/names" } else { "/status/acceptedNames" };
    let name = |field: &str| text(&format!("{names}/{field}"));
    let (group, plural, kind) = (text("/spec/group"), name("plural"), name("kind"));
    let storage = StorageId {
        group: group.to_owned(),
        plural: plural.to_owned(),
        version: versions::storage(definition).unwrap_or_default().to_owned(),
    };
    let stored_model = versions::all(definition)
        .iter()
        .find(|version| versions::is(version, "storage"))
        .map(|version| Arc::new(CustomModel::new(Schema::compile(versions::schema(version).unwrap_or(&Value::Null)))));
    let served = versions::all(definition).iter().filter(|version| versions::is(version, "served"));
    served
        .map(|version| {
            let version_name = versions::name(version);
            let subresources = subresources(version, group, version_name, kind);
            let schema = Schema::compile(versions::schema(version).unwrap_or(&Value::Null));
            let status_apart = subresources.iter().any(|subresource| subresource.name == "status");
            KindSpec {
                group: group.to_owned(),
                version: version_name.to_owned(),
                kind: kind.to_owned(),
                list_kind: name("listKind").to_owned(),
                plural: plural.to_owned(),
                singular: name("singular").to_owned(),
                scope: if text("/spec/scope") == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
                verbs: Verbs::ALL,
                short_names: texts(&format!("{names}/shortNames")),
                categories: texts(&format!("{names}/categories")),
                subresources,
                flags: Flags::default(),
                generation: Generation::on_change(),
                gc_default: GcDefault::Background,
                reset: Reset {
                    main: if status_apart { vec![FieldPath::new("status")] } else { Vec::new() },
                    status: vec![FieldPath::new("metadata")],
                },
                scale: scale(version),
                storage: storage.clone(),
                field_selectors: Vec::new(),
                columns: Columns::Custom(columns(version)),
                deprecation_warning: deprecation_warning(definition, version),
                derived: Derived::default(),
                custom: Some(Arc::new(CustomKind {
                    definition: text("/metadata/name").to_owned(),
                    terminating: definition.pointer("/metadata/deletionTimestamp").is_some(),
                    selectable_fields: paths(version, "selectableFields"),
                    missing_feature: schema.missing_feature(),
                    schema: versions::schema(version).cloned().unwrap_or_default(),
                    composition: Arc::new(Type::custom(versions::schema(version).unwrap_or(&Value::Null))),
                    storage_model: stored_model
                        .clone()
                        .filter(|_| version_name != storage.version)
                        .map(|model| model as Arc<dyn crate::model::Model>),
                    model: Arc::new(CustomModel::new(schema)),
                })),
            }
        })
        .collect()
}

fn subresources(version: &Value, group: &str, name: &str, kind: &str) -> Vec<Subresource> {
    let verbs: Verbs = [Verb::Get, Verb::Patch, Verb::Update].into_iter().collect();
    let declared = |subresource: &str| {
        version.get("subresources").and_then(|subresources| subresources.get(subresource)).is_some_and(Value::is_object)
    };
    let subresource = |name: &str, (group, version, kind): (&str, &str, &str)| Subresource {
        name: name.to_owned(),
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        verbs,
    };
    let mut found = Vec::new();
    if declared("status") {
        found.push(subresource("status", (group, name, kind)));
    }
    if declared("scale") {
        found.push(subresource("scale", ("autoscaling", "v1", "Scale")));
    }
    found
}

fn scale(version: &Value) -> Option<Scale> {
    let scale = version.pointer("/subresources/scale")?;
    let path = |field: &str| scale.get(field).and_then(Value::as_str).filter(|path| !path.is_empty()).map(FieldPath::new);
    Some(Scale {
        spec_replicas: path("specReplicasPath")?,
        status_replicas: path("statusReplicasPath")?,
        selector: path("labelSelectorPath").map_or(ScaleSelector::None, ScaleSelector::Text),
    })
}

fn columns(version: &Value) -> Vec<Column> {
    let columns = version.get("additionalPrinterColumns").and_then(Value::as_array);
    let column = |column: &Value| {
        let text = |field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        Column {
            name: text("name"),
            type_: text("type"),
            format: text("format"),
            description: text("description"),
            priority: column.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            json_path: text("jsonPath"),
        }
    };
    columns.into_iter().flatten().map(column).collect()
}

fn paths(version: &Value, list: &str) -> Vec<FieldPath> {
    let list = version.get(list).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|field| field.get("jsonPath")?.as_str()).map(FieldPath::new).collect()
}

/// Returns the warning for a deprecated version: the text of the definition, or the advice to use the newest served version that is at least as
/// stable and not deprecated. Returns `None` for a version that is not deprecated.
fn deprecation_warning(definition: &Value, version: &Value) -> Option<String> {
    if !versions::is(version, "deprecated") {
        return None;
    }
    if let Some(text) = version.get("deprecationWarning").and_then(Value::as_str) {
        return Some(text.to_owned());
    }
    let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, kind, name) = (text("/spec/group"), text("/spec/names/kind"), versions::name(version));
    let better = versions::all(definition)
        .iter()
        .filter(|other| versions::is(other, "served") && !versions::is(other, "deprecated"))
        .map(versions::name)
        .filter(|other| compare_versions(other, name).is_gt())
        .max_by(|a, b| compare_versions(a, b));
    Some(match better {
        Some(better) => format!("{group}/{name} {kind} is deprecated; use {group}/{better} {kind}"),
        None => format!("{group}/{name} {kind} is deprecated"),
    })
}
