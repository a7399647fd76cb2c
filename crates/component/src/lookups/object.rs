//! Lookups of single objects by a rendering.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright_machinery::object::ObjectExt as _;
use kubewright_render::{ObjectQuestion, RenderError, answer_digest};
use kubewright_runtime::cluster::{ApiRequest, Cluster, RequestRetries};
use kubewright_runtime::watch::{ProjectedStore, WatchState};
use parking_lot::Mutex;
use serde_json::Value;

use super::types::refused;
use crate::defaults::FIRST_LIST;

/// A watched object, and the answer last given about it.
#[derive(Clone)]
pub(super) struct WatchedLookup {
    pub(super) store: ProjectedStore<Value>,
    pub(super) told: Arc<Told>,
}

/// The last answer that a component was given about a watched object.
#[derive(Default)]
pub(super) struct Told {
    /// The digest of the last answer.
    digest: Mutex<Option<String>>,
    /// True if a pass gave up waiting for the first list.
    missed: AtomicBool,
}

impl WatchedLookup {
    pub(super) fn new(store: ProjectedStore<Value>) -> Self {
        Self { store, told: Arc::default() }
    }

    /// Returns true if the object differs from the last answer.
    pub(super) fn is_news(&self) -> bool {
        self.told.digest.lock().as_ref().is_some_and(|told| *told != answer_digest(&self.present()))
    }

    /// Returns true if a pass gave up waiting for the first list since the last call.
    pub(super) fn was_missed(&self) -> bool {
        self.told.missed.swap(false, Ordering::SeqCst)
    }

    /// Returns the present object and notes it as the last answer.
    fn tell(&self) -> Arc<Value> {
        loop {
            let present = self.present();
            *self.told.digest.lock() = Some(answer_digest(&present));
            // A change before the digest was stored was compared with the earlier answer, so it went unnoticed.
            if !self.is_news() {
                return present;
            }
        }
    }

    fn present(&self) -> Arc<Value> {
        self.store.list().into_iter().next().map(|(_, object)| object).unwrap_or_default()
    }
}

/// Returns the object without the fields that every write changes. The result is null if the object, or its type, does not exist.
pub(super) async fn find(cluster: &Cluster, watched: &WatchedLookup, asked: &ObjectQuestion) -> Result<Arc<Value>, RenderError> {
    let answer = match cluster.clock().limit(FIRST_LIST, watched.store.settled()).await {
        Ok(WatchState::Forbidden) => {
            let answer = read(cluster, asked).await?;
            *watched.told.digest.lock() = Some(answer_digest(&answer));
            answer
        }
        Ok(_) => watched.tell(),
        Err(_) => {
            watched.told.missed.store(true, Ordering::SeqCst);
            let why = watched.store.status().error.map(|error| format!(": {error}")).unwrap_or_default();
            return Err(RenderError::transient(format!("{} cannot be observed{why}", title(asked))));
        }
    };
    let known = cluster.discovery().cached(&asked.gvk.group_kind(), Some(&asked.gvk.version));
    if asked.namespace.is_empty() && known.is_some_and(|resource| resource.namespaced) {
        return Err(RenderError::input(format!("look up {}: its type has namespaces, so name one", title(asked))));
    }
    Ok(answer)
}

/// Reads an object whose watch is forbidden.
async fn read(cluster: &Cluster, asked: &ObjectQuestion) -> Result<Arc<Value>, RenderError> {
    let Some(resource) = cluster.discovery().resolve_gvk(&asked.gvk).await.map_err(refused)? else {
        return Ok(Arc::default());
    };
    let request = ApiRequest::get(&resource, &asked.namespace, &asked.name);
    match cluster.send_retrying(&request, &RequestRetries::default()).await {
        Ok(object) => Ok(Arc::new(answer(&object))),
        Err(error) if error.is_not_found() => Ok(Arc::default()),
        Err(error) => Err(refused(error)),
    }
}

/// Returns the object as a rendering sees it. Fields that change with every write are removed, because they are no inputs.
pub(super) fn answer(object: &Value) -> Value {
    let mut object = object.clone();
    for field in ["managedFields", "resourceVersion"] {
        object.metadata_mut().remove(field);
    }
    object
}

fn title(asked: &ObjectQuestion) -> String {
    match asked.namespace.as_str() {
        "" => format!("{} {}", asked.gvk.kind, asked.name),
        namespace => format!("{} {namespace}/{}", asked.gvk.kind, asked.name),
    }
}
