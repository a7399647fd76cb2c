//! Single objects, as a rendering looks them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_render::{ObjectQuestion, RenderError, answer_digest};
use kubewright_runtime::cluster::{ApiRequest, Cluster, Retry};
use kubewright_runtime::watch::{ProjectedStore, WatchState};
use parking_lot::Mutex;
use serde_json::Value;

use super::types::refused;

/// How long a pass waits for the first list of an object that was not watched before.
const FIRST_LIST: Duration = Duration::from_secs(30);

/// An object that is watched, and what was told of it.
#[derive(Clone)]
pub(super) struct Watched {
    pub(super) store: ProjectedStore<Value>,
    pub(super) told: Arc<Told>,
}

/// What a component knows of a watched object.
#[derive(Default)]
pub(super) struct Told {
    /// The digest of the last answer.
    digest: Mutex<Option<String>>,
    /// Whether a pass gave up waiting for the first list.
    missed: AtomicBool,
}

impl Watched {
    pub(super) fn new(store: ProjectedStore<Value>) -> Self {
        Self { store, told: Arc::default() }
    }

    /// Whether the object is another one than was told.
    pub(super) fn is_news(&self) -> bool {
        self.told.digest.lock().as_ref().is_some_and(|told| *told != answer_digest(&self.present()))
    }

    /// Whether a pass could not be told anything; from then on it has been.
    pub(super) fn was_missed(&self) -> bool {
        self.told.missed.swap(false, Ordering::SeqCst)
    }

    /// The present object, which is noted as told.
    fn tell(&self) -> Arc<Value> {
        loop {
            let present = self.present();
            *self.told.digest.lock() = Some(answer_digest(&present));
            // A change before that was compared with what had been told earlier.
            if !self.is_news() {
                return present;
            }
        }
    }

    fn present(&self) -> Arc<Value> {
        self.store.list().into_iter().next().map(|(_, object)| object).unwrap_or_default()
    }
}

/// The object without what every write changes; null if it, or its type, does not exist.
pub(super) async fn find(cluster: &Cluster, watched: &Watched, asked: &ObjectQuestion) -> Result<Arc<Value>, RenderError> {
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

/// Reads an object that may not be watched.
async fn read(cluster: &Cluster, asked: &ObjectQuestion) -> Result<Arc<Value>, RenderError> {
    let Some(resource) = cluster.discovery().resolve_gvk(&asked.gvk).await.map_err(refused)? else {
        return Ok(Arc::default());
    };
    let request = ApiRequest::get(&resource, &asked.namespace, &asked.name);
    match cluster.send_retrying(&request, &Retry::default()).await {
        Ok(object) => Ok(Arc::new(answer(&object))),
        Err(error) if error.is_not_found() => Ok(Arc::default()),
        Err(error) => Err(refused(error)),
    }
}

/// What a rendering sees of an object: a field that changes with every write is no input.
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
