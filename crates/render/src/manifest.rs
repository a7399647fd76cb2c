use std::collections::BTreeMap;

use kube::Resource;
use kubewright_core::manifest::keys;
use serde::Serialize;
use serde_json::{Map, Value};

/// One rendered object as JSON. The framework's annotations are kept apart, as marks, until the manifest is resolved.
///
/// Typed objects are converted with `From`, other forms with [`Manifest::from_json`] or [`Manifest::from_yaml`].
#[derive(Clone, Debug)]
pub struct Manifest {
    content: Result<Map<String, Value>, ManifestError>,
    marks: BTreeMap<&'static str, String>,
}

/// The reason why a value is not a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The manifest is not a JSON object.
    #[error("a manifest must be a JSON object, but this is {found}")]
    NotAnObject {
        /// The JSON type that was found.
        found: &'static str,
    },
    /// Metadata or annotations are not JSON objects.
    #[error("{field} must be a JSON object, but it is {found}")]
    NotAMap {
        /// The path of the field.
        field: &'static str,
        /// The JSON type that was found.
        found: &'static str,
    },
    /// A typed object has no JSON form.
    #[error("{kind} cannot be written as JSON: {reason}")]
    NotSerialisable {
        /// The kind of the typed object.
        kind: String,
        /// The message of the serialiser.
        reason: String,
    },
    /// The text is not one YAML document.
    #[error("{0}")]
    Yaml(String),
}

impl Manifest {
    /// Creates a manifest from a JSON object.
    pub fn from_json(value: Value) -> Result<Self, ManifestError> {
        match value {
            Value::Object(content) => Ok(Self::new(Ok(content))),
            other => Err(ManifestError::NotAnObject { found: type_name(&other) }),
        }
    }

    /// Creates a manifest from exactly one YAML document.
    pub fn from_yaml(text: &str) -> Result<Self, ManifestError> {
        let mut documents =
            kubewright_machinery::yaml::documents(text).map_err(|error| ManifestError::Yaml(error.to_string()))?;
        match (documents.pop(), documents.len()) {
            (Some(document), 0) => Self::from_json(document),
            (None, _) => Err(ManifestError::Yaml("the text holds no YAML document".to_owned())),
            (Some(_), more) => Err(ManifestError::Yaml(format!("the text holds {} YAML documents, not one", more + 1))),
        }
    }

    fn new(content: Result<Map<String, Value>, ManifestError>) -> Self {
        Self { content, marks: BTreeMap::new() }
    }

    /// Sets an annotation of the framework, without its prefix. It takes precedence over the same annotation in the object itself.
    #[must_use]
    pub fn annotate(mut self, mark: impl ManifestMark) -> Self {
        self.marks.insert(mark.key(), mark.value());
        self
    }

    /// Returns the object; none if the value is not an object.
    pub fn content(&self) -> Option<&Map<String, Value>> {
        self.content.as_ref().ok()
    }

    /// Returns the object for changes; none if the value is not an object.
    pub fn content_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.content.as_mut().ok()
    }

    /// Returns the object with the framework's annotations, prefixed with the name of the component type.
    pub fn resolve(self, operator: &str) -> Result<Value, ManifestError> {
        let mut content = self.content?;
        if !self.marks.is_empty() {
            let metadata = map_in(&mut content, "metadata", "metadata")?;
            let annotations = map_in(metadata, "annotations", "metadata.annotations")?;
            for (key, value) in self.marks {
                annotations.insert(format!("{operator}/{key}"), Value::String(value));
            }
        }
        Ok(Value::Object(content))
    }
}

impl<K> From<K> for Manifest
where
    K: Resource<DynamicType = ()> + Serialize,
{
    fn from(object: K) -> Self {
        match serde_json::to_value(&object) {
            Ok(Value::Object(mut content)) => {
                content.entry("apiVersion").or_insert_with(|| Value::String(K::api_version(&()).into_owned()));
                content.entry("kind").or_insert_with(|| Value::String(K::kind(&()).into_owned()));
                Self::new(Ok(content))
            }
            Ok(other) => Self::new(Err(ManifestError::NotAnObject { found: type_name(&other) })),
            Err(error) => {
                Self::new(Err(ManifestError::NotSerialisable { kind: K::kind(&()).into_owned(), reason: error.to_string() }))
            }
        }
    }
}

fn map_in<'a>(
    parent: &'a mut Map<String, Value>,
    key: &str,
    field: &'static str,
) -> Result<&'a mut Map<String, Value>, ManifestError> {
    let slot = parent.entry(key).or_insert(Value::Null);
    if slot.is_null() {
        *slot = Value::Object(Map::new());
    }
    let found = type_name(slot);
    slot.as_object_mut().ok_or(ManifestError::NotAMap { field, found })
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An annotation of the framework on a manifest: `<operator>/<key>: <value>`.
pub trait ManifestMark {
    /// Returns the part of the key after the slash.
    fn key(&self) -> &'static str;
    /// Returns the value.
    fn value(&self) -> String;
}

/// The wave in which an object is applied; lower ones come first. Default: 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::exhaustive_structs)]
pub struct ApplyOrder(pub i16);

/// The wave after which an object is purged. Default: never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::exhaustive_structs)]
pub struct PurgeOrder(pub i16);

/// The wave in which an object is deleted; lower ones come first. Default: 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::exhaustive_structs)]
pub struct DeleteOrder(pub i16);

macro_rules! order_mark {
    ($type:ty, $key:expr) => {
        impl ManifestMark for $type {
            fn key(&self) -> &'static str {
                $key
            }

            fn value(&self) -> String {
                self.0.to_string()
            }
        }
    };
}

order_mark!(ApplyOrder, keys::APPLY_ORDER);
order_mark!(PurgeOrder, keys::PURGE_ORDER);
order_mark!(DeleteOrder, keys::DELETE_ORDER);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_are_written_under_the_operators_name() {
        let manifest = Manifest::from_json(json!({"kind": "ConfigMap", "metadata": {"name": "a", "annotations": null}}))
            .unwrap()
            .annotate(ApplyOrder(3))
            .annotate(DeleteOrder(-1));
        assert_eq!(
            manifest.resolve("demo.example.com").unwrap(),
            json!({"kind": "ConfigMap", "metadata": {"name": "a", "annotations": {
                "demo.example.com/apply-order": "3", "demo.example.com/delete-order": "-1"}}})
        );
    }

    #[test]
    fn a_manifest_without_marks_resolves_to_the_unchanged_object() {
        let object = json!({"kind": "ConfigMap", "metadata": {"name": "a"}});
        let manifest = Manifest::from_json(object.clone()).unwrap();
        assert_eq!(manifest.resolve("demo").unwrap(), object);
    }

    #[test]
    fn a_manifest_that_is_no_object_is_refused_with_its_type() {
        let error = Manifest::from_json(json!(["a"])).unwrap_err();
        assert_eq!(error.to_string(), "a manifest must be a JSON object, but this is a list");
    }

    #[test]
    fn annotations_that_are_no_map_are_refused() {
        let manifest = Manifest::from_json(json!({"metadata": {"annotations": "x"}})).unwrap();
        let error = manifest.annotate(ApplyOrder(1)).resolve("demo").unwrap_err();
        assert_eq!(error.to_string(), "metadata.annotations must be a JSON object, but it is a string");
    }

    #[test]
    fn typed_objects_carry_their_kind() {
        use k8s_openapi::api::core::v1::ConfigMap;
        let manifest = Manifest::from(ConfigMap::default());
        let content = manifest.content().unwrap();
        assert_eq!((&content["apiVersion"], &content["kind"]), (&json!("v1"), &json!("ConfigMap")));
    }
}
