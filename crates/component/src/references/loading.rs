//! References that code of the operator resolves (REF-7).

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

/// A part of a spec that stands for something else, which is loaded before the manifests are rendered: a licence behind a URL, an
/// object of another type.
///
/// `#[derive(HoldsReferences)]` with `#[reference(content = ..)]` makes it known wherever it stands in a spec, also in options,
/// lists, maps and own structs. Its digest is a part of the component's digest, so that another content restarts the processing.
/// Nothing watches what it stands for: a `foreign_watch` or a `trigger` queues the component when that changes, and the requeue
/// interval is the safety net.
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
    /// Finds what the reference stands for. Called at most once per pass for equal references; a halt ends the pass as one from a
    /// hook does. While the component is being deleted, a wait is no obstacle where the field says `ignore_on_deletion`.
    fn load(&self, context: &LoadContext) -> impl Future<Output = Flow<Loaded<Self::Content>>> + Send;
}

/// What a reference stands for.
#[derive(Clone, PartialEq, Eq)]
pub struct Loaded<T> {
    content: Option<T>,
    digest: String,
}

impl<T> Loaded<T> {
    /// A content with a digest that is another one whenever the content is.
    pub fn new(content: T, digest: impl Into<String>) -> Self {
        Self { content: Some(content), digest: digest.into() }
    }

    /// There is nothing, and that is fine.
    pub fn absent() -> Self {
        Self { content: None, digest: String::new() }
    }
}

impl<T: Serialize> Loaded<T> {
    /// A content with the digest of its JSON.
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

/// What may be used to load a reference.
#[derive(Clone, Debug)]
pub struct LoadContext {
    pub(crate) operator: Arc<str>,
    pub(crate) cluster: Cluster,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) deleting: bool,
}

impl LoadContext {
    /// The name of the component type: the operator's name, unless
    /// [`named`](crate::ComponentBuilder::named) gives it one of its own.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// The cluster in which the component lives, with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A kube client for that cluster.
    pub fn client(&self) -> kube::Client {
        self.cluster.client().clone()
    }

    /// The namespace of the component; empty when it has none.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name of the component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the component is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.deleting
    }
}

/// A content without its type, with its digest.
pub(crate) struct ErasedContent {
    pub(crate) content: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) digest: String,
}

/// A reference without its type.
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

/// What `References` carries for a reference of this kind.
pub(crate) struct Loader(Box<dyn Load>);

impl Loader {
    pub(crate) fn key(&self) -> Option<LoadedKey> {
        self.0.key()
    }

    pub(crate) async fn load(&self, context: &LoadContext) -> Flow<ErasedContent> {
        self.0.load(context).await
    }
}

/// Adds a reference that is resolved by its own code. For the derive.
pub fn refer_loaded<R: Reference>(reference: &R, references: &mut References) {
    references.add_loadable(Arc::new(Loader(Box::new(reference.clone()))));
}
