//! Mistakes in manifests.

use std::fmt;

/// One mistake in a set of manifests. The author of the manifests must correct it; no request is sent before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidManifest {
    /// A required field is missing.
    #[error("manifest {position} has no {field} (set it to a non-empty string)")]
    Missing {
        /// The position of the manifest in the list, counted from 1, with its kind and name as far as known.
        position: String,
        /// The path of the field.
        field: &'static str,
    },
    /// A field has the wrong type.
    #[error("object {object}: {field} must be {expected}, but is {found}")]
    WrongType {
        /// The object.
        object: String,
        /// The path of the field.
        field: String,
        /// The expected type.
        expected: &'static str,
        /// The JSON type that was found.
        found: &'static str,
    },
    /// A manifest has `metadata.generateName`; a dependent needs a fixed name.
    #[error("object {object} specifies metadata.generateName (but dependent objects are not allowed to do so)")]
    GenerateName {
        /// The object.
        object: String,
    },
    /// Two manifests describe the same object.
    #[error("duplicate object {object} (manifests {first} and {second})")]
    Duplicate {
        /// The object.
        object: String,
        /// The position of the first manifest in the list, counted from 1.
        first: usize,
        /// The position of the second manifest in the list, counted from 1.
        second: usize,
    },
    /// The API server does not serve this kind.
    #[error(
        "object {object}: no match for kind {kind:?} in version {api_version:?} (install its CustomResourceDefinition, or add it to the manifests)"
    )]
    NoMatch {
        /// The object.
        object: String,
        /// The kind.
        kind: String,
        /// The field `apiVersion`.
        api_version: String,
    },
    /// A namespaced object has no namespace, and the component has no placement namespace.
    #[error(
        "object {object} is namespaced, but has no namespace (set metadata.namespace, or the placement namespace of the component)"
    )]
    NoNamespace {
        /// The object.
        object: String,
    },
    /// An annotation has a value that is not allowed.
    #[error("object {object}: invalid value for annotation {key}: {value:?} (allowed: {allowed})")]
    Annotation {
        /// The object.
        object: String,
        /// The key of the annotation.
        key: String,
        /// The value of the annotation.
        value: String,
        /// The allowed values.
        allowed: String,
    },
    /// An annotation under the operator's prefix is unknown.
    #[error(
        "object {object}: unknown annotation {key} (the nearest known one is {nearest}; use another prefix for annotations of your own)"
    )]
    UnknownAnnotation {
        /// The object.
        object: String,
        /// The key of the annotation.
        key: String,
        /// The known key with the least edit distance.
        nearest: String,
    },
    /// A kind that must not be purged has a purge order.
    #[error("object {object}: {what} must not define a purge order")]
    PurgeOrder {
        /// The object.
        object: String,
        /// The kind, in words.
        what: &'static str,
    },
    /// The orders of a type (or namespace) and of an object in it contradict each other (VAL-1, VAL-2, VAL-3).
    #[error("error validating object set ({object}): {problem}")]
    ObjectSet {
        /// The object.
        object: String,
        /// The rule that is broken.
        problem: &'static str,
    },
}

/// All mistakes of a set of manifests; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestErrors(Vec<InvalidManifest>);

/// The number of mistakes that a message shows (OUT-2).
const SHOWN: usize = 5;

impl ManifestErrors {
    /// Wraps the mistakes. Returns `None` if there are none.
    pub fn collect(errors: Vec<InvalidManifest>) -> Option<Self> {
        if errors.is_empty() { None } else { Some(Self(errors)) }
    }

    /// Returns the mistakes, in the order of the manifests.
    pub fn errors(&self) -> &[InvalidManifest] {
        &self.0
    }
}

impl fmt::Display for ManifestErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(SHOWN).enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{error}")?;
        }
        if self.0.len() > SHOWN { write!(f, "; and {} more", self.0.len() - SHOWN) } else { Ok(()) }
    }
}

impl std::error::Error for ManifestErrors {}

/// Returns the JSON type of a value, for messages that must not show the value itself.
pub(crate) fn type_of(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "a boolean",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a string",
        serde_json::Value::Array(_) => "a list",
        serde_json::Value::Object(_) => "a map",
    }
}
