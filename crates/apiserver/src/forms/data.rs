//! The published definitions, parsed when they are needed.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use kubewright_machinery::object::GroupVersionKind;
use serde_json::Value;

use super::facts::{Facts, TypeName};
use super::form::Struct;

/// The definitions, one per line: name, kinds and JSON, separated by tabs. `data/NOTICE` names the source.
static PACKED: &[u8] = include_bytes!("../../data/schemas.json.zst");

static TEXT: LazyLock<String> = LazyLock::new(|| {
    // A test decodes the committed data. With broken data the server would have no types but would still run.
    zstd::decode_all(PACKED).ok().and_then(|text| String::from_utf8(text).ok()).unwrap_or_default()
});

static DEFINITIONS: LazyLock<Definitions> = LazyLock::new(|| Definitions::index(&TEXT));

/// The definitions of built-in types, by name and by kind. Each is parsed on first use.
#[derive(Debug)]
pub struct Definitions {
    by_name: HashMap<&'static str, Definition>,
    by_kind: HashMap<(&'static str, &'static str, &'static str), &'static str>,
}

#[derive(Debug)]
struct Definition {
    text: &'static str,
    schema: OnceLock<Value>,
    form: OnceLock<Struct>,
}

impl Definitions {
    /// Returns the definitions of the served types.
    pub fn embedded() -> &'static Self {
        &DEFINITIONS
    }

    /// Iterates over the names of all definitions, such as `io.k8s.api.core.v1.Pod`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by_name.keys().copied()
    }

    /// Returns the name of the definition of a kind.
    pub fn name_of(&self, gvk: &GroupVersionKind) -> Option<&'static str> {
        self.named(&gvk.group, &gvk.version, &gvk.kind)
    }

    /// Returns the name of the definition of a kind, given by its group, version and kind.
    pub(crate) fn named(&self, group: &str, version: &str, kind: &str) -> Option<&'static str> {
        self.by_kind.get(&(group, version, kind)).copied()
    }

    /// Returns the OpenAPI schema of a definition, without descriptions.
    pub fn schema(&self, name: &str) -> Option<&Value> {
        let definition = self.by_name.get(name)?;
        Some(definition.schema.get_or_init(|| serde_json::from_str(definition.text).unwrap_or_default()))
    }

    /// Returns the default that the published schema declares for a field of a definition. The server fills it in before it looks for an item of
    /// a list by its keys. `required` is true if the definition requires the field.
    pub(crate) fn declared_default(&self, name: &str, field: &str, required: bool) -> Option<Value> {
        let form = self.form(name)?;
        if let Some((_, value)) = form.declared.iter().find(|(declared, _)| *declared == field) {
            return Some((*value).clone());
        }
        let zero = required || Facts::embedded().is_published_zero(TypeName::new(name), field);
        form.field(field).filter(|_| zero).map(|field| field.form.zero()).filter(|zero| !zero.is_null() && !zero.is_object())
    }

    /// Returns the name of a definition with a static lifetime.
    pub(crate) fn static_name(&self, name: &str) -> Option<&'static str> {
        self.by_name.get_key_value(name).map(|(name, _)| *name)
    }

    /// Returns the form of a type with fields.
    pub(crate) fn form(&self, name: &str) -> Option<&Struct> {
        let (name, definition) = self.by_name.get_key_value(name)?;
        Some(definition.form.get_or_init(|| Struct::new(self, name, self.schema(name).unwrap_or(&Value::Null))))
    }

    fn index(text: &'static str) -> Self {
        let (mut by_name, mut by_kind) = (HashMap::new(), HashMap::new());
        for line in text.lines() {
            let mut columns = line.splitn(3, '\t');
            let (Some(name), Some(kinds), Some(text)) = (columns.next(), columns.next(), columns.next()) else {
                continue;
            };
            for kind in kinds.split(',') {
                let mut parts = kind.split('/');
                if let (Some(group), Some(version), Some(kind)) = (parts.next(), parts.next(), parts.next()) {
                    by_kind.insert((group, version, kind), name);
                }
            }
            by_name.insert(name, Definition { text, schema: OnceLock::new(), form: OnceLock::new() });
        }
        Self { by_name, by_kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // TYD-2
    #[test]
    fn every_definition_can_be_read() {
        let definitions = Definitions::embedded();
        assert_eq!(definitions.names().count(), 584);
        for name in definitions.names() {
            assert!(definitions.schema(name).unwrap().is_object(), "{name}");
            assert!(definitions.form(name).is_some(), "{name}");
        }
    }

    #[test]
    fn kinds_have_definitions() {
        let name = |group, version, kind| Definitions::embedded().name_of(&GroupVersionKind::new(group, version, kind));
        assert_eq!(name("apps", "v1", "Deployment"), Some("io.k8s.api.apps.v1.Deployment"));
        assert_eq!(name("", "v1", "DeleteOptions"), Some("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"));
        assert_eq!(name("apps", "v1beta1", "Deployment"), None);
    }

    // TYD-9
    #[test]
    fn the_data_stays_small() {
        assert!(PACKED.len() < 400 * 1024);
    }
}
