//! References that are resolved by code of the operator (REF-7).

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::Flow;
use kubewright_core::manifest::reference_digest_of_bytes;
use kubewright_core::reference::{LoadedKey, Loads, References};
use kubewright_runtime::cluster::Cluster;
use serde::Serialize;

/// A part of a spec that refers to a content which is loaded before the manifests are rendered, such as a licence behind a URL, or an object of
/// another type.
///
/// The derive `#[derive(HoldsReferences)]` with `#[reference(content = ..)]` finds it at any place in a spec, also in options, lists, maps and
/// nested structs. Its digest is a part of the component's digest, so that another content restarts the processing. The content is not watched:
/// a `foreign_watch` or a `trigger` queues the component when it changes, and the requeue interval covers missed changes.
///
/// ```
/// use kubewright::component::{LoadContext, Loaded, Reference};
/// use kubewright::prelude::*;
///
/// /// The name of a region, which stands for its endpoint.
/// #[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[reference(content = String)]
/// struct Region {
///     name: String,
/// }
///
/// impl Reference for Region {
///     async fn load(&self, _: &LoadContext) -> Flow<Loaded<String>> {
///         match self.name.as_str() {
///             "" => Ok(Loaded::absent()),
///             name => Ok(Loaded::hashed(format!("https://{name}.example.com"))),
///         }
///     }
/// }
/// ```
pub trait Reference: Loads + Clone {
    /// Loads the content of the reference. It is called at most once per pass for equal references. A halt ends the pass like that of a hook.
    /// While the component is being deleted, a wait is no obstacle if the field has `ignore_on_deletion`.
    fn load(&self, context: &LoadContext) -> impl Future<Output = Flow<Loaded<Self::Content>>> + Send;
}

/// The loaded content of a reference.
#[derive(Clone, PartialEq, Eq)]
pub struct Loaded<T> {
    content: Option<T>,
    digest: String,
}

impl<T> Loaded<T> {
    /// Creates a content with a digest, which must differ whenever the content differs.
    pub fn new(content: T, digest: impl Into<String>) -> Self {
        Self { content: Some(content), digest: digest.into() }
    }

    /// Creates the result for a reference without content, which is no error.
    pub fn absent() -> Self {
        Self { content: None, digest: String::new() }
    }
}

impl<T: Serialize> Loaded<T> {
    /// Creates a content with the digest of its JSON.
    pub fn hashed(content: T) -> Self {
        let text = serde_json::to_vec(&content).unwrap_or_default();
        Self::new(content, reference_digest_of_bytes(&text))
    }
}

impl<T> fmt::Debug for Loaded<T> {
    // The content may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("absent", &self.content.is_none()).finish_non_exhaustive()
    }
}

/// The context in which a reference is loaded.
#[derive(Clone, Debug)]
pub struct LoadContext {
    pub(crate) operator: Arc<str>,
    pub(crate) cluster: Cluster,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) deleting: bool,
}

impl LoadContext {
    /// Returns the name of the component type: the operator's name, unless [`named`](crate::ComponentBuilder::named) sets another one.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// Returns the cluster of the component, accessed with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns a kube client for the cluster of the component.
    pub fn client(&self) -> kube::Client {
        self.cluster.client().clone()
    }

    /// Returns the namespace of the component, which is empty if it has none.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name of the component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the component is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.deleting
    }
}

/// A content with its type erased, and its digest.
pub(crate) struct ErasedContent {
    pub(crate) content: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) digest: String,
}

/// A reference with its type erased.
#[async_trait]
trait Load: Send + Sync {
    fn key(&self) -> Option<LoadedKey>;
    async fn load(&self, context: &LoadContext) -> Flow<ErasedContent>;
}

#[async_trait]
impl<R: Reference> Load for R {
    fn key(&self) -> Option<LoadedKey> {
        LoadedKey::of(self)
    }

    async fn load(&self, context: &LoadContext) -> Flow<ErasedContent> {
        let Loaded { content, digest } = Reference::load(self, context).await?;
        let content = content.map(|content| Arc::new(content) as Arc<dyn Any + Send + Sync>);
        Ok(ErasedContent { content, digest })
    }
}

/// The loader that `References` carries for a reference of this kind.
pub(crate) struct Loader(Box<dyn Load>);

impl Loader {
    pub(crate) fn key(&self) -> Option<LoadedKey> {
        self.0.key()
    }

    pub(crate) async fn load(&self, context: &LoadContext) -> Flow<ErasedContent> {
        self.0.load(context).await
    }
}

/// Adds a reference that is resolved by its own code. For use by the derive.
pub fn refer_loaded<R: Reference>(reference: &R, references: &mut References) {
    references.add_loadable(Arc::new(Loader(Box::new(reference.clone()))));
}
