//! Built-in transformers that a kustomization configures under `transformers`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{NamespaceTransformer, SubjectMode, Transformer};
use crate::error::BuildProblem;
use crate::fields::FieldSpec;
use crate::kustomization::{ImageEntry, ReplicaEntry, check_keys};
use crate::resource::BuildResource;

/// The transformers that can be configured.
const SUPPORTED: &str = "AnnotationsTransformer, ImageTagTransformer, LabelTransformer, NamespaceTransformer, PrefixTransformer, \
                         ReplicaCountTransformer, SuffixTransformer";

/// The configuration of a transformer. Each kind has only some of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct TransformerConfig {
    #[serde(rename = "apiVersion")]
    _api_version: String,
    kind: String,
    #[serde(rename = "metadata")]
    _metadata: Value,
    field_specs: Vec<FieldSpec>,
    prefix: Option<String>,
    suffix: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    annotations: Option<BTreeMap<String, String>>,
    image_tag: Option<ImageEntry>,
    replica: Option<ReplicaEntry>,
    unset_only: Option<bool>,
    set_role_binding_subjects: Option<String>,
}

/// Reads the configuration of a transformer. Other kinds, which are plugins, are not supported.
pub(crate) fn read_transformer(resource: &BuildResource) -> Result<Transformer, BuildProblem> {
    let api_version = resource.object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let kind = resource.kind_name();
    let unsupported = || {
        BuildProblem(format!(
            "the transformer {api_version}/{kind} is not supported; only those of apiVersion builtin are: {SUPPORTED}"
        ))
    };
    if api_version != "builtin" || !SUPPORTED.split(", ").any(|supported| supported == kind) {
        return Err(unsupported());
    }
    let config: TransformerConfig = serde_json::from_value(resource.object.clone())
        .map_err(|error| BuildProblem(format!("the configuration of {kind}: {error}")))?;
    config.transformer(resource).map_err(|problem| problem.within(format_args!("the configuration of {kind}")))
}

impl TransformerConfig {
    /// Returns the transformer. The fields of other kinds must not be set.
    fn transformer(mut self, resource: &BuildResource) -> Result<Transformer, BuildProblem> {
        let fields = std::mem::take(&mut self.field_specs);
        let kind = self.kind.clone();
        let transformer = match kind.as_str() {
            "PrefixTransformer" => Transformer::Prefix { prefix: self.prefix.take().unwrap_or_default(), fields },
            "SuffixTransformer" => Transformer::Suffix { suffix: self.suffix.take().unwrap_or_default(), fields },
            "LabelTransformer" => Transformer::Labels { labels: self.labels.take().unwrap_or_default(), fields },
            "AnnotationsTransformer" => {
                Transformer::Annotations { annotations: self.annotations.take().unwrap_or_default(), fields }
            }
            "ImageTagTransformer" => Transformer::Image { image: self.image_tag.take().unwrap_or_default(), fields },
            "ReplicaCountTransformer" => Transformer::Replicas { replica: self.replica.take().unwrap_or_default(), fields },
            _ => Transformer::Namespace(NamespaceTransformer {
                namespace: resource.namespace().to_owned(),
                fields,
                unset_only: self.unset_only.take().unwrap_or_default(),
                subjects: subject_mode(self.set_role_binding_subjects.take().as_deref())?,
            }),
        };
        if let Transformer::Labels { labels: texts, .. } | Transformer::Annotations { annotations: texts, .. } = &transformer {
            check_keys(texts.keys())?;
        }
        let others = [
            ("prefix", self.prefix.is_some()),
            ("suffix", self.suffix.is_some()),
            ("labels", self.labels.is_some()),
            ("annotations", self.annotations.is_some()),
            ("imageTag", self.image_tag.is_some()),
            ("replica", self.replica.is_some()),
            ("unsetOnly", self.unset_only.is_some()),
            ("setRoleBindingSubjects", self.set_role_binding_subjects.is_some()),
        ];
        match others.iter().find(|(_, is_set)| *is_set) {
            Some((field, _)) => Err(BuildProblem(format!("unknown field {field:?}"))),
            None => Ok(transformer),
        }
    }
}

fn subject_mode(text: Option<&str>) -> Result<SubjectMode, BuildProblem> {
    match text {
        None | Some("" | "defaultOnly") => Ok(SubjectMode::DefaultOnly),
        Some("allServiceAccounts") => Ok(SubjectMode::AllServiceAccounts),
        Some("none") => Ok(SubjectMode::NoSubjects),
        Some(other) => Err(BuildProblem(format!(
            "invalid value {other:?} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\""
        ))),
    }
}
