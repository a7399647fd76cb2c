//! Transformations of the resources of a kustomization.

mod images;
mod metadata;
mod names;
mod namespace;
mod patches;
mod plugin;
mod replicas;

use std::collections::BTreeMap;

use patches::JsonOperations;
pub(crate) use patches::PatchSource;
pub(crate) use plugin::read_transformer;

use crate::error::BuildProblem;
use crate::fields::FieldSpec;
use crate::kustomization::{ImageEntry, PatchOptions, ReplicaEntry};
use crate::limits::ObjectBytes;
use crate::replace::FieldReplacement;
use crate::resource::{BuildResource, ResourceList};
use crate::select::TargetSelector;
use crate::strategic::MergeSchemas;

/// A transformation with all that it needs.
#[derive(Debug)]
pub(crate) enum Transformer {
    /// Strategic merge patches, each for the resource of its own identity.
    StrategicMerge(Vec<BuildResource>),
    /// A strategic merge patch for all resources of a target, or several for those of their identities.
    Patch {
        patches: Vec<BuildResource>,
        target: Option<TargetSelector>,
        options: PatchOptions,
    },
    /// A JSON patch. `remembers` is true if the identities before the patch are kept.
    JsonPatch {
        patch: JsonOperations,
        target: TargetSelector,
        remembers: bool,
    },
    Namespace(NamespaceTransformer),
    Prefix {
        prefix: String,
        fields: Vec<FieldSpec>,
    },
    Suffix {
        suffix: String,
        fields: Vec<FieldSpec>,
    },
    Labels {
        labels: BTreeMap<String, String>,
        fields: Vec<FieldSpec>,
    },
    Annotations {
        annotations: BTreeMap<String, String>,
        fields: Vec<FieldSpec>,
    },
    Replicas {
        replica: ReplicaEntry,
        fields: Vec<FieldSpec>,
    },
    Image {
        image: ImageEntry,
        fields: Vec<FieldSpec>,
    },
    Replacements(Vec<FieldReplacement>),
}

/// The transformation of namespaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamespaceTransformer {
    pub(crate) namespace: String,
    pub(crate) fields: Vec<FieldSpec>,
    /// True if only empty namespaces are set.
    pub(crate) unset_only: bool,
    pub(crate) subjects: SubjectMode,
}

/// The subjects of role bindings whose namespace is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SubjectMode {
    /// Subjects with the name `default`.
    #[default]
    DefaultOnly,
    /// All service accounts.
    AllServiceAccounts,
    NoSubjects,
}

impl Transformer {
    /// Returns the kind of the transformer, as kustomize names it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::StrategicMerge(_) => "PatchStrategicMergeTransformer",
            Self::Patch { .. } | Self::JsonPatch { remembers: true, .. } => "PatchTransformer",
            Self::JsonPatch { remembers: false, .. } => "PatchJson6902Transformer",
            Self::Namespace(_) => "NamespaceTransformer",
            Self::Prefix { .. } => "PrefixTransformer",
            Self::Suffix { .. } => "SuffixTransformer",
            Self::Labels { .. } => "LabelTransformer",
            Self::Annotations { .. } => "AnnotationsTransformer",
            Self::Replicas { .. } => "ReplicaCountTransformer",
            Self::Image { .. } => "ImageTagTransformer",
            Self::Replacements(_) => "ReplacementTransformer",
        }
    }

    /// Changes the resources. All that is added to them is counted.
    pub(crate) fn apply(
        &self,
        list: &mut ResourceList,
        schemas: &MergeSchemas,
        bytes: &mut ObjectBytes,
    ) -> Result<(), BuildProblem> {
        match self {
            Self::StrategicMerge(patches) => patches::apply_each(list, patches, schemas, bytes),
            Self::Patch { patches, target: None, options } => patches::apply_in_place(list, patches, *options, schemas, bytes),
            Self::Patch { patches, target: Some(target), options } => {
                patches::apply_to_target(list, patches, target, *options, schemas, bytes)
            }
            Self::JsonPatch { patch, target, remembers } => patches::apply_json(list, patch, target, *remembers, bytes),
            Self::Namespace(transformer) => namespace::apply(list, transformer, bytes),
            Self::Prefix { prefix, fields } => names::prefix(list, prefix, fields, bytes),
            Self::Suffix { suffix, fields } => names::suffix(list, suffix, fields, bytes),
            Self::Labels { labels, fields } => metadata::set_entries(list, labels, fields, bytes),
            Self::Annotations { annotations, fields } => metadata::set_entries(list, annotations, fields, bytes),
            Self::Replicas { replica, fields } => replicas::apply(list, replica, fields),
            Self::Image { image, fields } => images::apply(list, image, fields, bytes),
            Self::Replacements(replacements) => replacements.iter().try_for_each(|replacement| replacement.apply(list, bytes)),
        }?;
        list.drop_empty();
        Ok(())
    }
}

/// Adds the resource to a problem.
fn of_resource(resource: &BuildResource) -> impl FnOnce(BuildProblem) -> BuildProblem + use<> {
    let id = resource.id();
    move |problem| problem.within(id)
}
