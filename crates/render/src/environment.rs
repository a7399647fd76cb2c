//! The questions of a rendering about clusters, and the environment that answers them.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_machinery::object::{GroupVersionKind, canonical_sha256};
use serde_json::Value;

use crate::RenderError;
use crate::kubeconfig::{KubeconfigDigest, LookupKubeconfig};

/// Answers the questions of a rendering about clusters. The component reconciler answers from shared watches and from discovery; a test of a
/// generator can give any answers.
#[async_trait]
pub trait Environment: Send + Sync {
    /// Answers a question, in the form that the question describes.
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError>;

    /// Connects to the cluster of a kubeconfig before a question about it is asked for the first time in a rendering. The question names only the digest
    /// of the kubeconfig. The default does nothing: an environment with fixed answers needs no connection.
    async fn connect(&self, _kubeconfig: &LookupKubeconfig, _question: &Question) -> Result<(), RenderError> {
        Ok(())
    }
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
    /// All types that the target serves: a list of objects like Kubernetes' `APIResourceList`, sorted by their `groupVersion`. Their `resources`, sorted by
    /// `name`, are the types and their subresources (`deployments/scale`), with `name`, `singularName`, `namespaced`, `group`, `version`, `kind`, `verbs`,
    /// and if there are some `shortNames` and `categories`, each sorted.
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
    /// The cluster of a kubeconfig that the rendering gives, identified by the digest of the kubeconfig.
    Kubeconfig(KubeconfigDigest),
}

impl Question {
    /// Returns the digest of the kubeconfig of the cluster that the question is about; None for another cluster.
    pub(crate) const fn kubeconfig(&self) -> Option<KubeconfigDigest> {
        match self {
            Self::Object(ObjectQuestion { place: Place::Kubeconfig(digest), .. })
            | Self::List(ListQuestion { place: Place::Kubeconfig(digest), .. }) => Some(*digest),
            _ => None,
        }
    }
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
