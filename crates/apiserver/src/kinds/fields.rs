//! Field selectors: the selectable fields of a kind and their values.

use std::borrow::Cow;

use serde_json::Value;

use super::path::FieldPath;
use super::spec::KindSpec;

/// The error for a field selector on a field that the kind does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldLabelError {
    /// The error of a kind with only the generic selectors.
    #[error("{label:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")]
    Generic {
        /// The field asked for.
        label: String,
    },
    /// The error of a kind with selectors of its own, or of a custom resource.
    #[error("field label not supported: {label}")]
    Special {
        /// The field asked for.
        label: String,
    },
    /// The error of Jobs, which has its own text.
    #[error("field label {label:?} not supported for Job")]
    Job {
        /// The field asked for.
        label: String,
    },
    /// The error of ResourceSlices, which has its own text.
    #[error("field label not supported for {version}, Kind={kind}: {label}")]
    Slice {
        /// The version of the kind.
        version: String,
        /// The kind.
        kind: String,
        /// The field asked for.
        label: String,
    },
}

impl KindSpec {
    /// Checks that objects of the kind can be selected by the field.
    pub fn check_field_label(&self, label: &str) -> Result<(), FieldLabelError> {
        let selectable = self.custom.as_ref().map(|custom| custom.selectable_fields.as_slice()).unwrap_or_default();
        let known = label == "metadata.name"
            || (label == "metadata.namespace" && (self.is_namespaced() || !self.is_custom() && self.field_selectors.is_empty()))
            || self.field_selectors.iter().any(|field| field == label)
            || selectable.iter().any(|field| field.to_string() == label);
        if known {
            return Ok(());
        }
        let label = label.to_owned();
        match (self.group.as_str(), self.kind.as_str()) {
            ("batch", "Job") => return Err(FieldLabelError::Job { label }),
            ("resource.k8s.io", "ResourceSlice") => {
                return Err(FieldLabelError::Slice { version: self.api_version(), kind: self.kind.clone(), label });
            }
            _ => {}
        }
        if self.is_custom() || !self.field_selectors.is_empty() {
            Err(FieldLabelError::Special { label })
        } else {
            Err(FieldLabelError::Generic { label })
        }
    }

    /// Returns the value of a field for a field selector; a missing field is the empty string.
    pub fn field_value<'a>(&self, object: &'a Value, label: &str) -> Cow<'a, str> {
        if !self.is_custom()
            && let Some(value) = special(&self.group, &self.kind, object, label)
        {
            return value;
        }
        text(FieldPath::new(label).get(object))
    }
}

/// Returns the text that a value is compared as.
fn text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        Some(Value::String(text)) => Cow::Borrowed(text),
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(other) => Cow::Owned(other.to_string()),
    }
}

/// Returns the values of fields of built-in kinds that are not simply found at the path of their name.
fn special<'a>(group: &str, kind: &str, object: &'a Value, label: &str) -> Option<Cow<'a, str>> {
    let at = |pointer: &str| object.pointer(pointer);
    let boolean = |pointer: &str| Cow::Borrowed(if at(pointer) == Some(&Value::Bool(true)) { "true" } else { "false" });
    Some(match (group, kind, label) {
        ("", "Pod", "spec.host") => text(at("/spec/nodeName")),
        ("", "Pod", "spec.hostNetwork") => boolean("/spec/hostNetwork"),
        ("", "Pod", "status.podIPs") => {
            let addresses = at("/status/podIPs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let addresses: Vec<_> = addresses.iter().filter_map(|address| address.get("ip")?.as_str()).collect();
            Cow::Owned(addresses.join(","))
        }
        ("", "Node", "spec.unschedulable") => boolean("/spec/unschedulable"),
        ("", "ReplicationController", "status.replicas") => number(at("/status/replicas")),
        ("batch", "Job", "status.successful") => number(at("/status/succeeded")),
        ("", "Event", "source") => match at("/source/component") {
            Some(Value::String(component)) if !component.is_empty() => Cow::Borrowed(component),
            _ => text(at("/reportingComponent")),
        },
        // Both views of an Event are stored in the form of the core group, so the object may be in either form.
        ("events.k8s.io", "Event", _) if object.get("involvedObject").is_some() => match label.split_once('.') {
            Some(("regarding", field)) => text(at("/involvedObject").and_then(|regarding| regarding.get(field))),
            _ if label == "reportingController" => text(at("/reportingComponent")),
            _ => return None,
        },
        _ => return None,
    })
}

fn number(value: Option<&Value>) -> Cow<'_, str> {
    value.and_then(Value::as_i64).map_or(Cow::Borrowed("0"), |number| Cow::Owned(number.to_string()))
}
