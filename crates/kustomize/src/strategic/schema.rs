//! The merge keys of a position: those of the built-in kinds, or of a schema file.

use kubewright_machinery::object::GroupVersionKind;
use kubewright_machinery::patch::MergePosition;
use kubewright_machinery::yaml;
use serde_json::{Map, Value};

use crate::error::BuildProblem;

const REFERENCE: &str = "#/definitions/";
/// The largest number of references that lead to one schema.
const REFERENCES: usize = 100;

/// The schemas of all kinds that are merged: of the built-in kinds, or of a file that replaces them.
#[derive(Clone, Debug, Default)]
pub(crate) struct MergeSchemas {
    definitions: Option<Map<String, Value>>,
}

/// A position in an object, with its schema if one is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SchemaPosition<'a> {
    Unknown,
    BuiltIn(MergePosition),
    Own { schema: &'a Value, definitions: &'a Map<String, Value> },
}

impl MergeSchemas {
    /// Reads a schema file: an OpenAPI document with definitions.
    pub(crate) fn read(text: &str) -> Result<Self, BuildProblem> {
        let mut document = yaml::first_document(text).map_err(|error| BuildProblem(error.to_string()))?;
        match document.get_mut("definitions").map(Value::take) {
            Some(Value::Object(definitions)) => Ok(Self { definitions: Some(definitions) }),
            _ => Err(BuildProblem::new("the schema has no definitions")),
        }
    }

    /// Returns true if the schemas are those of a file.
    pub(crate) fn is_own(&self) -> bool {
        self.definitions.is_some()
    }

    /// Returns the root of the kind of an object.
    pub(crate) fn of_object(&self, object: &Value) -> SchemaPosition<'_> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = GroupVersionKind::from_api_version(text("apiVersion"), text("kind")) else {
            return SchemaPosition::Unknown;
        };
        let Some(definitions) = &self.definitions else { return SchemaPosition::BuiltIn(MergePosition::of_kind(&kind)) };
        let is_of_kind = |named: &Value| {
            let part = |name: &str| named.get(name).and_then(Value::as_str).unwrap_or_default();
            (part("group"), part("version"), part("kind")) == (&kind.group, &kind.version, &kind.kind)
        };
        let kinds =
            |schema: &Value| schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array).cloned().unwrap_or_default();
        let schema = definitions.values().find(|schema| kinds(schema).iter().any(is_of_kind));
        schema.map_or(SchemaPosition::Unknown, |schema| SchemaPosition::Own { schema, definitions })
    }
}

impl<'a> SchemaPosition<'a> {
    pub(super) fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown)
    }

    pub(super) fn member(self, name: &str) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::BuiltIn(position) => Self::BuiltIn(position.member(name)),
            Self::Own { schema, definitions } => {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                let member = property.or_else(|| schema.get("additionalProperties").filter(|schema| schema.is_object()));
                Self::resolved(member, definitions)
            }
        }
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::BuiltIn(position) => Self::BuiltIn(position.item()),
            Self::Own { schema, definitions } => Self::resolved(schema.get("items"), definitions),
        }
    }

    /// Returns true if a list is merged.
    pub(super) fn merges(self) -> bool {
        match self {
            Self::Unknown => false,
            Self::BuiltIn(position) => position.merges(),
            Self::Own { schema, .. } => {
                let strategy = schema.get("x-kubernetes-patch-strategy").and_then(Value::as_str);
                strategy.is_some_and(|strategy| strategy.split(',').any(|part| part == "merge"))
            }
        }
    }

    /// Returns the keys that identify the items of a merged list; none for a list of scalars.
    pub(super) fn keys(self) -> Vec<&'a str> {
        match self {
            Self::Unknown => Vec::new(),
            Self::BuiltIn(position) if position.list_keys().is_empty() => position.merge_key().into_iter().collect(),
            Self::BuiltIn(position) => position.list_keys().to_vec(),
            Self::Own { schema, .. } => {
                let listed = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                let single = schema.get("x-kubernetes-patch-merge-key").and_then(Value::as_str);
                listed.map_or_else(|| single.into_iter().collect(), |keys| keys.iter().filter_map(Value::as_str).collect())
            }
        }
    }

    fn resolved(schema: Option<&'a Value>, definitions: &'a Map<String, Value>) -> Self {
        let Some(mut schema) = schema else { return Self::Unknown };
        for _ in 0..REFERENCES {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Self::Own { schema, definitions } };
            let target = reference.strip_prefix(REFERENCE).and_then(|name| definitions.get(name));
            let Some(target) = target else { return Self::Unknown };
            schema = target;
        }
        Self::Unknown
    }
}
