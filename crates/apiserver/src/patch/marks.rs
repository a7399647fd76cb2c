//! The merge strategies and merge keys that a type declares for its fields.

use serde_json::Value;

use crate::forms::Definitions;

/// A position in a type, with its schema if one is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypePosition {
    schema: Option<&'static Value>,
}

const REFERENCE: &str = "#/definitions/";

impl TypePosition {
    /// Returns the root of a type, by the name of its definition.
    pub(super) fn root(definition: &str) -> Self {
        Self { schema: Definitions::embedded().schema(definition) }
    }

    /// Returns the position of a member of a map.
    pub(super) fn member(self, name: &str) -> Self {
        let schema = self.resolved();
        let property = schema.and_then(|schema| schema.get("properties")?.get(name));
        Self { schema: property.or_else(|| schema?.get("additionalProperties")) }
    }

    /// Returns the position of the items of a list.
    pub(super) fn item(self) -> Self {
        Self { schema: self.resolved().and_then(|schema| schema.get("items")) }
    }

    /// Returns the key by which the items of a list are matched.
    pub(super) fn merge_key(self) -> Option<&'static str> {
        self.schema?.get("x-kubernetes-patch-merge-key")?.as_str()
    }

    /// Returns true if a list is merged; other lists are replaced.
    pub(super) fn merges(self) -> bool {
        self.has_strategy("merge")
    }

    /// Returns true if a map is replaced; other maps are merged.
    pub(super) fn replaces(self) -> bool {
        self.has_strategy("replace")
    }

    fn has_strategy(self, name: &str) -> bool {
        let strategy = self.schema.and_then(|schema| schema.get("x-kubernetes-patch-strategy")?.as_str());
        strategy.is_some_and(|strategy| strategy.split(',').any(|part| part == name))
    }

    /// Returns the schema that a reference leads to. The marks of a field stand beside its reference, not in the schema that it leads to.
    fn resolved(self) -> Option<&'static Value> {
        let schema = self.schema?;
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => Definitions::embedded().schema(reference.strip_prefix(REFERENCE)?),
            None => Some(schema),
        }
    }
}
