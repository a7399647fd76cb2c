//! The questions of a rendering about clusters, and the environment that answers them.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_machinery::object::{GroupVersionKind, canonical_sha256};
use serde_json::Value;

use crate::RenderError;

/// Answers the questions of a rendering about clusters. The component reconciler answers from shared watches and from discovery; a test of a
/// generator can give any answers.
#[async_trait]
pub trait Environment: Send + Sync {
    /// Answers a question, in the form that the question describes.
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError>;
}

/// A question of a rendering about a cluster. Its answer is an input of the rendering: a different answer causes a new rendering.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Question {
    /// The version document of the target's API server, as returned by `/version`.
    Version,
    /// A question for a boolean: true if the target serves this `group/version` or `group/version/Kind`.
    Serves(String),
    /// All `group/version` that the target serves: a sorted list of texts.
    ApiVersions,
    /// All `group/version` and all `group/version/Kind` that the target serves: a sorted list of texts.
    ServedTypes,
    /// An object, without its managed fields and resource version: null if it does not exist.
    Object(ObjectQuestion),
    /// The objects of a type, without their managed fields and resource versions: a list, sorted by namespace and name; null if the type does not
    /// exist.
    List(ListQuestion),
}

/// A question for one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(
    clippy::exhaustive_structs,
    reason = "the place that answers it builds and takes it apart, and each of its fields is part of the question"
)]
pub struct ObjectQuestion {
    /// The cluster.
    pub place: Place,
    /// The type.
    pub gvk: GroupVersionKind,
    /// The namespace; empty for a type without namespaces.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A question for the objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(
    clippy::exhaustive_structs,
    reason = "the place that answers it builds and takes it apart, and each of its fields is part of the question"
)]
pub struct ListQuestion {
    /// The cluster.
    pub place: Place,
    /// The type.
    pub gvk: GroupVersionKind,
    /// The namespace; empty for all namespaces, or for a type without namespaces.
    pub namespace: String,
    /// The label selector; empty for all objects.
    pub selector: String,
}

/// The cluster that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The cluster of the dependents.
    Target,
    /// The cluster of the component.
    Local,
}

/// The questions of a rendering, with a digest of each answer.
pub type Asked = BTreeMap<Question, String>;

/// Returns the digest of an answer.
pub fn answer_digest(answer: &Value) -> String {
    canonical_sha256(answer)
}

/// The environment without a cluster.
pub(crate) struct Nowhere;

#[async_trait]
impl Environment for Nowhere {
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        let text = format!(
            "no cluster is available for the question {question:?}; give the context an environment with `with_environment`"
        );
        Err(RenderError::input(text))
    }
}
