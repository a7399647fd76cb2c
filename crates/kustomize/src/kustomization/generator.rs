//! Entries of `configMapGenerator` and `secretGenerator`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A ConfigMap or Secret that is generated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GeneratedObject {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) behavior: String,
    pub(crate) literals: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) envs: Vec<String>,
    /// One more file of `envs`.
    pub(crate) env: String,
    pub(crate) options: Option<GeneratorOptions>,
    /// The type of a Secret.
    #[serde(rename = "type")]
    pub(crate) secret_type: String,
}

/// Options of a generated object, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GeneratorOptions {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) disable_name_suffix_hash: bool,
    pub(crate) immutable: bool,
}

impl GeneratorOptions {
    /// Adds the options for all generated objects; those of the object win.
    pub(crate) fn or(mut self, all: &Self) -> Self {
        for (own, all) in [(&mut self.labels, &all.labels), (&mut self.annotations, &all.annotations)] {
            for (key, value) in all {
                own.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        self.disable_name_suffix_hash |= all.disable_name_suffix_hash;
        self.immutable |= all.immutable;
        self
    }
}
