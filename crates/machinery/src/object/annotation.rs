//! Changes and comparison of single annotations.

use serde_json::{Value, json};
use thiserror::Error;

use super::ObjectExt;

/// A change of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnnotationChange<'a> {
    /// The annotation is set to this value, unless it has another one.
    Set(&'a str),
    /// The annotation is set to this value, whatever its value.
    Overwrite(&'a str),
    /// The annotation is removed.
    Delete,
}

/// The error of an annotation that has another value than the one to be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{object}: annotation already exists with other value: {key} is {found:?}, wanted {wanted:?}; remove it, or overwrite it"
)]
#[non_exhaustive]
pub struct AnnotationExists {
    /// The title of the object in messages.
    pub object: String,
    /// The key of the annotation.
    pub key: String,
    /// The value of the annotation.
    pub found: String,
    /// The value to be set.
    pub wanted: String,
}

/// Returns the merge patch that changes only this annotation; none if it already has the wanted state.
pub fn annotation_patch(object: &Value, key: &str, change: AnnotationChange<'_>) -> Result<Option<Value>, AnnotationExists> {
    let patch = |value: Value| Some(json!({ "metadata": { "annotations": { key: value } } }));
    Ok(match (object.annotation(key), change) {
        (Some(found), AnnotationChange::Set(wanted) | AnnotationChange::Overwrite(wanted)) if found == wanted => None,
        (None, AnnotationChange::Delete) => None,
        (Some(found), AnnotationChange::Set(wanted)) => {
            return Err(AnnotationExists {
                object: object.title(),
                key: key.to_owned(),
                found: found.to_owned(),
                wanted: wanted.to_owned(),
            });
        }
        (_, AnnotationChange::Set(wanted) | AnnotationChange::Overwrite(wanted)) => patch(wanted.into()),
        (Some(_), AnnotationChange::Delete) => patch(Value::Null),
    })
}

/// Returns true if two objects have the same value of an annotation. False if the annotation of the first object is absent or empty (MD-2).
pub fn has_same_annotation(first: &Value, second: &Value, key: &str) -> bool {
    first.annotation(key).is_some_and(|value| !value.is_empty() && second.annotation(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotated(annotations: Value) -> Value {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "demo", "annotations": annotations } })
    }

    // Table of flow-and-contract.md, 8.1; FMETA-03
    #[test]
    fn an_annotation_is_patched_only_where_it_differs() {
        let patch = |object: Value, change| annotation_patch(&object, "k", change);
        let wanted = || Ok(Some(json!({ "metadata": { "annotations": { "k": "v" } } })));
        let removed = || Ok(Some(json!({ "metadata": { "annotations": { "k": null } } })));
        assert_eq!(patch(annotated(json!({})), AnnotationChange::Set("v")), wanted());
        assert_eq!(patch(annotated(json!({"k": "v"})), AnnotationChange::Set("v")), Ok(None));
        let error = patch(annotated(json!({"k": "w"})), AnnotationChange::Set("v")).unwrap_err().to_string();
        let expected =
            "ConfigMap demo/a: annotation already exists with other value: k is \"w\", wanted \"v\"; remove it, or overwrite it";
        assert_eq!(error, expected);
        assert_eq!(patch(annotated(json!({"k": "w"})), AnnotationChange::Overwrite("v")), wanted());
        assert_eq!(patch(annotated(json!({"k": "w"})), AnnotationChange::Delete), removed());
        assert_eq!(patch(annotated(json!({})), AnnotationChange::Delete), Ok(None));
    }

    // FMETA-02, MD-2
    #[test]
    fn an_absent_or_empty_annotation_is_the_same_as_no_other() {
        let of = |value: &str| annotated(json!({ "k": value }));
        assert!(has_same_annotation(&of("v"), &of("v"), "k"));
        assert!(!has_same_annotation(&of("v"), &of("w"), "k") && !has_same_annotation(&of("v"), &annotated(json!({})), "k"));
        assert!(
            !has_same_annotation(&of(""), &of(""), "k")
                && !has_same_annotation(&annotated(json!({})), &annotated(json!({})), "k")
        );
    }
}
