//! The `/scale` subresource: an autoscaling/v1 Scale as a view of a few fields (SUB-4).

use kubewright_machinery::{object::ObjectExt as _, selector::LabelSelector};
use serde_json::{Value, json};

use crate::{
    kinds::{KindSpec, ScaleSelector},
    status::{FieldError, Status},
};

/// The Scale of an object; `None` if its kind has none.
pub(crate) fn of(kind: &KindSpec, object: &Value) -> Option<Value> {
    let fields = kind.scale.as_ref()?;
    let number = |path: &crate::kinds::FieldPath| path.get(object).and_then(Value::as_i64).unwrap_or_default();
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
    Some(json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}))
}

/// Writes what a client changed in a Scale into the object.
pub(crate) fn write(kind: &KindSpec, object: &mut Value, scale: &Value) -> Result<(), Status> {
    let Some(fields) = &kind.scale else { return Ok(()) };
    let replicas = scale.pointer("/spec/replicas").cloned().unwrap_or_else(|| 0.into());
    if replicas.as_i64().is_none_or(|replicas| replicas < 0) {
        let error = FieldError::invalid("spec.replicas", &replicas, "must be greater than or equal to 0");
        return Err(Status::invalid("autoscaling", "Scale", object.name(), &[error]));
    }
    fields.spec_replicas.set(object, replicas);
    let version = scale.resource_version();
    if !version.is_empty() {
        object.metadata_mut().insert("resourceVersion".into(), version.into());
    }
    Ok(())
}
