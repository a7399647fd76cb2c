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
    own: Option<OwnSchemas>,
}

/// The definitions of a schema file.
#[derive(Clone, Debug)]
pub(crate) struct OwnSchemas {
    definitions: Map<String, Value>,
    /// True if the built-in kinds are known besides.
    with_built_in: bool,
}

/// A position in an object, with its schema if one is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SchemaPosition<'a> {
    Unknown,
    BuiltIn(MergePosition),
    Own { schema: &'a Value, schemas: &'a OwnSchemas },
}

impl MergeSchemas {
    /// Reads a schema file: an OpenAPI document with definitions. `with_built_in` is true if the built-in kinds are known besides.
    pub(crate) fn read(text: &str, with_built_in: bool) -> Result<Self, BuildProblem> {
        let mut document = yaml::first_document(text).map_err(|error| BuildProblem(error.to_string()))?;
        match document.get_mut("definitions").map(Value::take) {
            Some(Value::Object(definitions)) => Ok(Self { own: Some(OwnSchemas { definitions, with_built_in }) }),
            _ => Err(BuildProblem::new("the schema has no definitions; it must be an OpenAPI document with a map 'definitions'")),
        }
    }

    /// Returns true if the schemas are those of a file.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Returns the root of the kind of an object.
    pub(crate) fn of_object(&self, object: &Value) -> SchemaPosition<'_> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = GroupVersionKind::from_api_version(text("apiVersion"), text("kind")) else {
            return SchemaPosition::Unknown;
        };
        let Some(own) = &self.own else { return SchemaPosition::BuiltIn(MergePosition::of_kind(&kind)) };
        let is_of_kind = |named: &Value| {
            let part = |name: &str| named.get(name).and_then(Value::as_str).unwrap_or_default();
            (part("group"), part("version"), part("kind")) == (&kind.group, &kind.version, &kind.kind)
        };
        let kinds =
            |schema: &Value| schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array).cloned().unwrap_or_default();
        let schema = own.definitions.values().find(|schema| kinds(schema).iter().any(is_of_kind));
        match schema {
            Some(schema) => SchemaPosition::Own { schema, schemas: own },
            None if own.with_built_in => SchemaPosition::BuiltIn(MergePosition::of_kind(&kind)),
            None => SchemaPosition::Unknown,
        }
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
            Self::Own { schema, schemas } => {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                let member = property.or_else(|| schema.get("additionalProperties").filter(|schema| schema.is_object()));
                Self::resolved(member, schemas)
            }
        }
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::BuiltIn(position) => Self::BuiltIn(position.item()),
            Self::Own { schema, schemas } => Self::resolved(schema.get("items"), schemas),
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

    fn resolved(schema: Option<&'a Value>, schemas: &'a OwnSchemas) -> Self {
        let Some(mut schema) = schema else { return Self::Unknown };
        for _ in 0..REFERENCES {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Self::Own { schema, schemas } };
            let name = reference.strip_prefix(REFERENCE).unwrap_or_default();
            match schemas.definitions.get(name) {
                Some(target) => schema = target,
                None if schemas.with_built_in => return Self::BuiltIn(MergePosition::of_definition(name)),
                None => return Self::Unknown,
            }
        }
        Self::Unknown
    }
}
