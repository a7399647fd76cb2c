//! Selection of resources by patterns of their identity, labels and annotations.

use kubewright_machinery::selector::LabelSelector;

use crate::error::BuildProblem;
use crate::kind::KindId;
use crate::kustomization::TargetPattern;
use crate::resource::{BuildResource, ResourceId};
use crate::text_pattern::TextPattern;

/// A compiled pattern of resources.
#[derive(Clone, Debug)]
pub(crate) struct TargetSelector {
    group: Option<TextPattern>,
    version: Option<TextPattern>,
    kind: Option<TextPattern>,
    name: Option<TextPattern>,
    namespace: Option<TextPattern>,
    annotations: LabelSelector,
    labels: LabelSelector,
}

impl TargetSelector {
    pub(crate) fn new(target: &TargetPattern) -> Result<Self, BuildProblem> {
        let pattern = |name: &str, source: &str| match source {
            "" => Ok(None),
            source => TextPattern::whole(source).map(Some).map_err(|error| {
                BuildProblem(format!("the {name} {source:?} of the target is not a regular expression: {error}"))
            }),
        };
        let selector = |name: &str, source: &str| {
            LabelSelector::parse(source).map_err(|error| BuildProblem(format!("the {name} {source:?} of the target: {error}")))
        };
        Ok(Self {
            group: pattern("group", &target.group)?,
            version: pattern("version", &target.version)?,
            kind: pattern("kind", &target.kind)?,
            name: pattern("name", &target.name)?,
            namespace: pattern("namespace", &target.namespace)?,
            annotations: selector("annotationSelector", &target.annotation_selector)?,
            labels: selector("labelSelector", &target.label_selector)?,
        })
    }

    /// Returns true for a resource whose first or present name and namespace match, and whose kind, labels and annotations do.
    pub(crate) fn selects(&self, resource: &BuildResource) -> bool {
        let (original, now) = (resource.original_id(), resource.id());
        let either = |pattern: &Option<TextPattern>, first: &str, second: &str| {
            is_match(pattern.as_ref(), first) || is_match(pattern.as_ref(), second)
        };
        either(&self.namespace, original.effective_namespace_text(), now.effective_namespace_text())
            && either(&self.name, &original.name, &now.name)
            && self.matches_kind(&now.kind)
            && self.matches_texts(resource)
    }

    /// Returns true for an identity that matches, by its namespace as it is written.
    pub(crate) fn matches_id(&self, id: &ResourceId) -> bool {
        self.matches_kind(&id.kind) && is_match(self.name.as_ref(), &id.name) && is_match(self.namespace.as_ref(), &id.namespace)
    }

    /// Returns true for a resource whose labels and annotations match.
    pub(crate) fn matches_texts(&self, resource: &BuildResource) -> bool {
        (self.annotations.is_everything() || self.annotations.matches(&resource.metadata_texts("annotations")))
            && (self.labels.is_everything() || self.labels.matches(&resource.metadata_texts("labels")))
    }

    /// Returns true if the pattern says something about labels or annotations.
    pub(crate) fn has_selectors(&self) -> bool {
        !self.annotations.is_everything() || !self.labels.is_everything()
    }

    /// Returns true if the pattern says something about the identity.
    pub(crate) fn has_identity(&self) -> bool {
        [&self.group, &self.version, &self.kind, &self.name, &self.namespace].into_iter().any(Option::is_some)
    }

    fn matches_kind(&self, kind: &KindId) -> bool {
        is_match(self.group.as_ref(), &kind.group)
            && is_match(self.version.as_ref(), &kind.version)
            && is_match(self.kind.as_ref(), &kind.kind)
    }
}

fn is_match(pattern: Option<&TextPattern>, text: &str) -> bool {
    pattern.is_none_or(|pattern| pattern.is_match(text))
}
