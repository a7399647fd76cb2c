//! Facts about the Go types behind the definitions, from `data/types.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

static FACTS: LazyLock<Facts> = LazyLock::new(|| {
    // A test parses the committed file.
    toml::from_str(include_str!("../../data/types.toml")).unwrap_or_default()
});

/// The facts by type pattern and field.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    keep_zero_anywhere: Vec<String>,
    keep_zero: BTreeMap<String, Vec<String>>,
    always: BTreeMap<String, Vec<String>>,
    dropped: BTreeMap<String, Vec<String>>,
    always_objects: BTreeMap<String, Vec<String>>,
    null: BTreeMap<String, Vec<String>>,
    published_zero: BTreeMap<String, Vec<String>>,
    defaults: BTreeMap<String, Map<String, Value>>,
}

/// The parts of a type's name: `io.k8s.api.discovery.v1.Endpoint` has group `discovery`, version `v1`, and last part `Endpoint`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName<'a> {
    group: &'a str,
    version: &'a str,
    last: &'a str,
}

impl<'a> TypeName<'a> {
    pub(crate) fn new(definition: &'a str) -> Self {
        let mut parts = definition.rsplit('.');
        let mut part = || parts.next().unwrap_or_default();
        let (last, version, group) = (part(), part(), part());
        Self { group, version, last }
    }

    /// Returns the name of the Go struct.
    pub(crate) fn last(&self) -> &'a str {
        self.last
    }

    fn is(&self, pattern: &str) -> bool {
        let mut parts = pattern.split('.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(last), None, _) => self.last == last,
            (Some(group), Some(last), None) => self.group == group && self.last == last,
            (Some(group), Some(version), Some(last)) => self.group == group && self.version == version && self.last == last,
            (None, _, _) => false,
        }
    }
}

impl Facts {
    pub(crate) fn embedded() -> &'static Self {
        &FACTS
    }

    /// Returns true if an optional scalar is kept when it is sent as zero.
    pub(crate) fn keeps_zero(&self, name: TypeName<'_>, field: &str) -> bool {
        self.keep_zero_anywhere.iter().any(|known| known == field)
            || self.keep_zero.get(field).is_some_and(|patterns| patterns.iter().any(|pattern| name.is(pattern)))
    }

    /// Returns true if an optional field prints its zero value when it is absent.
    pub(crate) fn is_always_printed(&self, name: TypeName<'_>, field: &str) -> bool {
        is_listed(&self.always, name, field)
    }

    /// Returns true if a required field is dropped when it is zero, empty or absent.
    pub(crate) fn is_dropped(&self, name: TypeName<'_>, field: &str) -> bool {
        is_listed(&self.dropped, name, field)
    }

    /// Returns true if an object is printed when it is absent.
    pub(crate) fn is_always_object(&self, name: TypeName<'_>, field: &str) -> bool {
        match field {
            "metadata" | "spec" => true,
            "status" => name.last != "CustomResourceSubresources",
            _ => is_listed(&self.always_objects, name, field),
        }
    }

    /// Returns true if a field prints `null` when it is absent.
    pub(crate) fn is_null_when_absent(&self, name: TypeName<'_>, field: &str) -> bool {
        is_listed(&self.null, name, field)
    }

    /// Returns true if the published schema declares the zero value as the default of a field that is dropped when it is zero.
    pub(crate) fn is_published_zero(&self, name: TypeName<'_>, field: &str) -> bool {
        is_listed(&self.published_zero, name, field)
    }

    /// Returns the defaults that the published schema of a type declares.
    pub(crate) fn defaults(&self, name: TypeName<'_>) -> Vec<(&str, &Value)> {
        let matching = self.defaults.iter().filter(|(pattern, _)| name.is(pattern));
        matching.flat_map(|(_, fields)| fields).map(|(field, value)| (field.as_str(), value)).collect()
    }
}

fn is_listed(table: &BTreeMap<String, Vec<String>>, name: TypeName<'_>, field: &str) -> bool {
    table.iter().any(|(pattern, fields)| fields.iter().any(|known| known == field) && name.is(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::Definitions;

    fn exists(pattern: &str, field: &str) -> bool {
        let definitions = Definitions::embedded();
        let mut types = definitions.names().filter(|name| TypeName::new(name).is(pattern)).peekable();
        types.peek().is_some()
            && types.all(|name| definitions.schema(name).is_some_and(|schema| schema["properties"].get(field).is_some()))
    }

    // TYD-5
    #[test]
    fn every_fact_is_about_a_field_that_exists() {
        let facts: Facts = toml::from_str(include_str!("../../data/types.toml")).unwrap();
        for table in [&facts.always, &facts.dropped, &facts.always_objects, &facts.null, &facts.published_zero] {
            for (pattern, fields) in table {
                for field in fields {
                    assert!(exists(pattern, field), "{pattern}.{field}");
                }
            }
        }
        for (field, patterns) in &facts.keep_zero {
            for pattern in patterns {
                assert!(exists(pattern, field), "{pattern}.{field}");
            }
        }
        for (pattern, fields) in &facts.defaults {
            for field in fields.keys() {
                assert!(exists(pattern, field), "{pattern}.{field}");
            }
        }
    }
}
