//! A kustomization as data.

mod generator;
mod patch;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Deserialize;

pub(crate) use generator::{GeneratedObject, GeneratorOptions};
pub(crate) use patch::{
    PatchEntry, PatchOptions, ReplacementEntry, ReplacementOptions, ReplacementSource, ReplacementTarget, TargetPattern,
};
pub(crate) use read::{FILE_NAMES, check_keys, read_kustomization};

use crate::fields::FieldSpec;

/// The fields of a kustomization that are supported.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KustomizationFields {
    api_version: String,
    kind: String,
    #[serde(rename = "metadata")]
    _metadata: serde_json::Value,
    openapi: BTreeMap<String, String>,
    pub(crate) name_prefix: String,
    pub(crate) name_suffix: String,
    pub(crate) namespace: String,
    pub(crate) common_labels: BTreeMap<String, String>,
    pub(crate) labels: Vec<LabelEntry>,
    pub(crate) common_annotations: BTreeMap<String, String>,
    pub(crate) patches_strategic_merge: Vec<String>,
    pub(crate) patches_json6902: Vec<PatchEntry>,
    pub(crate) patches: Vec<PatchEntry>,
    pub(crate) images: Vec<ImageEntry>,
    image_tags: Vec<ImageEntry>,
    pub(crate) replacements: Vec<ReplacementEntry>,
    pub(crate) replicas: Vec<ReplicaEntry>,
    pub(crate) sort_options: Option<SortOptions>,
    pub(crate) resources: Vec<String>,
    pub(crate) components: Vec<String>,
    bases: Vec<String>,
    pub(crate) config_map_generator: Vec<GeneratedObject>,
    pub(crate) secret_generator: Vec<GeneratedObject>,
    pub(crate) generator_options: Option<GeneratorOptions>,
    pub(crate) configurations: Vec<String>,
    pub(crate) transformers: Vec<String>,
    pub(crate) build_metadata: Vec<String>,
}

impl KustomizationFields {
    /// Returns true for a component, which changes the resources of the kustomization that includes it.
    pub(crate) fn is_component(&self) -> bool {
        self.kind == read::COMPONENT
    }

    /// Returns the path of the schema with merge keys of own kinds.
    pub(crate) fn schema_path(&self) -> Option<&str> {
        self.openapi.get("path").map(String::as_str)
    }
}

/// An entry of `labels`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LabelEntry {
    pub(crate) pairs: BTreeMap<String, String>,
    pub(crate) include_selectors: bool,
    pub(crate) include_templates: bool,
    pub(crate) include_volume_claim_templates: bool,
    pub(crate) fields: Vec<FieldSpec>,
}

/// An entry of `images`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImageEntry {
    pub(crate) name: String,
    pub(crate) new_name: String,
    pub(crate) tag_suffix: String,
    pub(crate) new_tag: String,
    pub(crate) digest: String,
}

/// An entry of `replicas`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReplicaEntry {
    pub(crate) name: String,
    pub(crate) count: i64,
}

/// The field `sortOptions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SortOptions {
    pub(crate) order: String,
    pub(crate) legacy_sort_options: Option<LegacySortOptions>,
}

/// The kinds that come first and last.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LegacySortOptions {
    pub(crate) order_first: Vec<String>,
    pub(crate) order_last: Vec<String>,
}
