//! Conversion between an object and its Scale.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::selector::LabelSelector;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use crate::kinds::{FieldPath, KindSpec, ScaleSelector};
use crate::status::StatusExt as _;

pub(super) const API_VERSION: &str = "autoscaling/v1";
pub(super) const KIND: &str = "Scale";

/// Returns the Scale of an object, whose kind must have one.
pub(super) fn of(kind: &KindSpec, object: &Value) -> Result<Value, Status> {
    let fields = kind.scale.as_ref().ok_or_else(Status::resource_not_found)?;
    let number = |path: &FieldPath| path.get(object).and_then(Value::as_i64).unwrap_or_default();
    let mut metadata = json!({});
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object.metadata().get(field) {
            metadata[field] = value.clone();
        }
    }
    let mut status = json!({"replicas": number(&fields.status_replicas)});
    let selector = match &fields.selector {
        ScaleSelector::None => None,
        ScaleSelector::Object(path) => {
            path.get(object).and_then(|selector| LabelSelector::from_json(selector).ok()).map(|selector| selector.to_string())
        }
        ScaleSelector::Labels(path) => {
            path.get(object).and_then(|labels| LabelSelector::from_map(labels).ok()).map(|selector| selector.to_string())
        }
        ScaleSelector::Text(path) => path.get(object).and_then(Value::as_str).map(str::to_owned),
    };
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = selector.into();
    }
    let mut spec = json!({});
    let replicas = number(&fields.spec_replicas);
    if replicas != 0 {
        spec["replicas"] = replicas.into();
    }
    Ok(json!({"kind": KIND, "apiVersion": API_VERSION, "metadata": metadata, "spec": spec, "status": status}))
}

/// Returns the path of the replicas in a custom resource, if its definition names one and the object has no value there.
pub(super) fn missing_replicas(kind: &KindSpec, object: &Value) -> Option<String> {
    let path = &kind.scale.as_ref().filter(|_| kind.is_custom())?.spec_replicas;
    path.get(object).is_none_or(Value::is_null).then(|| format!(".{path}"))
}

/// Writes the replicas of a Scale into the object.
pub(super) fn write(kind: &KindSpec, object: &mut Value, scale: &Value) {
    if let Some(fields) = &kind.scale {
        let replicas = scale.pointer("/spec/replicas").cloned().unwrap_or_else(|| 0.into());
        fields.spec_replicas.set(object, replicas);
    }
    let version = scale.resource_version();
    if !version.is_empty() {
        object.metadata_mut().insert("resourceVersion".into(), version.into());
    }
}
