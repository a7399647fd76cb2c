//! Lookups of objects by a rendering.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_render::{ListQuestion, ObjectQuestion, RenderError, answer_digest};
use kubewright_runtime::cluster::{ApiRequest, Cluster, RequestRetries};
use kubewright_runtime::watch::{ProjectedStore, WatchSpec, WatchState};
use parking_lot::Mutex;
use serde_json::Value;

use super::types::refused;
use crate::defaults::FIRST_LIST;

/// The objects that a rendering looks up: their type, their namespace (empty for all, or for a type without namespaces), and their selection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lookup {
    gvk: GroupVersionKind,
    namespace: String,
    selection: LookupSelection,
}

/// The selection of a lookup among the objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LookupSelection {
    /// The object of a name.
    Name(String),
    /// The objects that a label selector selects; all if it is empty.
    Labels(String),
}

impl From<&ObjectQuestion> for Lookup {
    fn from(asked: &ObjectQuestion) -> Self {
        let ObjectQuestion { gvk, namespace, name, .. } = asked.clone();
        Self { gvk, namespace, selection: LookupSelection::Name(name) }
    }
}

impl From<&ListQuestion> for Lookup {
    fn from(asked: &ListQuestion) -> Self {
        let ListQuestion { gvk, namespace, selector, .. } = asked.clone();
        Self { gvk, namespace, selection: LookupSelection::Labels(selector) }
    }
}

impl Lookup {
    /// Returns the watch of the objects.
    pub(super) fn watch(&self) -> WatchSpec {
        let spec = match &self.selection {
            LookupSelection::Name(name) => WatchSpec::of_version(&self.gvk).fields(format!("metadata.name={name}")),
            LookupSelection::Labels(selector) => WatchSpec::of_version(&self.gvk).labels(selector),
        };
        if self.namespace.is_empty() { spec } else { spec.in_namespace(&self.namespace) }
    }

    /// Returns the answer that the objects make: the object or null, or the list of the objects.
    fn answer_of(&self, mut objects: Vec<Arc<Value>>) -> Arc<Value> {
        match self.selection {
            LookupSelection::Name(_) => objects.into_iter().next().unwrap_or_default(),
            LookupSelection::Labels(_) => {
                objects.sort_by(|a, b| a.namespace().cmp(b.namespace()).then_with(|| a.name().cmp(b.name())));
                Arc::new(objects.into_iter().map(Arc::unwrap_or_clone).collect())
            }
        }
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.gvk.kind;
        match (&self.selection, self.namespace.as_str()) {
            (LookupSelection::Name(name), "") => write!(f, "{kind} {name}"),
            (LookupSelection::Name(name), namespace) => write!(f, "{kind} {namespace}/{name}"),
            (LookupSelection::Labels(selector), namespace) => {
                write!(f, "the list of {kind}")?;
                if !namespace.is_empty() {
                    write!(f, " in namespace {namespace}")?;
                }
                if selector.is_empty() { Ok(()) } else { write!(f, " with labels {selector}") }
            }
        }
    }
}

/// The watched objects of a lookup, and the answer last given about them.
#[derive(Clone)]
pub(super) struct WatchedLookup {
    lookup: Lookup,
    pub(super) store: ProjectedStore<Value>,
    pub(super) told: Arc<Told>,
}

/// The last answer that a component was given about watched objects.
#[derive(Default)]
pub(super) struct Told {
    /// The digest of the last answer.
    digest: Mutex<Option<String>>,
    /// True if a pass gave up waiting for the first list.
    missed: AtomicBool,
}

impl WatchedLookup {
    pub(super) fn new(lookup: Lookup, store: ProjectedStore<Value>) -> Self {
        Self { lookup, store, told: Arc::default() }
    }

    /// Returns true if the objects differ from the last answer.
    pub(super) fn is_news(&self) -> bool {
        self.told.digest.lock().as_ref().is_some_and(|told| *told != answer_digest(&self.present()))
    }

    /// Returns true if a pass gave up waiting for the first list since the last call.
    pub(super) fn was_missed(&self) -> bool {
        self.told.missed.swap(false, Ordering::SeqCst)
    }

    /// Returns the present objects and notes them as the last answer.
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
        self.lookup.answer_of(self.store.list().into_iter().map(|(_, object)| object).collect())
    }
}

/// Returns the objects without the fields that every write changes. The result is null if the object, or the type, does not exist.
pub(super) async fn find(cluster: &Cluster, watched: &WatchedLookup) -> Result<Arc<Value>, RenderError> {
    let lookup = &watched.lookup;
    let answer = match cluster.clock().limit(FIRST_LIST, watched.store.settled()).await {
        Ok(WatchState::Forbidden) => {
            let answer = read(cluster, lookup).await?;
            *watched.told.digest.lock() = Some(answer_digest(&answer));
            answer
        }
        Ok(_) => watched.tell(),
        Err(_) => {
            watched.told.missed.store(true, Ordering::SeqCst);
            let why = watched.store.status().error.map(|error| format!(": {error}")).unwrap_or_default();
            return Err(RenderError::transient(format!("{lookup} cannot be observed{why}")));
        }
    };
    let known = cluster.discovery().cached(&lookup.gvk.group_kind(), Some(&lookup.gvk.version));
    if let LookupSelection::Name(_) = lookup.selection
        && lookup.namespace.is_empty()
        && known.is_some_and(|resource| resource.namespaced)
    {
        return Err(RenderError::input(format!("look up {lookup}: its type has namespaces, so name one")));
    }
    Ok(answer)
}

/// Reads objects whose watch is forbidden.
async fn read(cluster: &Cluster, lookup: &Lookup) -> Result<Arc<Value>, RenderError> {
    let Some(resource) = cluster.discovery().resolve_gvk(&lookup.gvk).await.map_err(refused)? else {
        return Ok(Arc::default());
    };
    let request = match &lookup.selection {
        LookupSelection::Name(name) => ApiRequest::get(&resource, &lookup.namespace, name),
        LookupSelection::Labels(selector) => {
            let namespace = Some(lookup.namespace.as_str()).filter(|namespace| !namespace.is_empty());
            ApiRequest::list(&resource, namespace).query("labelSelector", selector.clone())
        }
    };
    let found = match cluster.send_retrying(&request, &RequestRetries::default()).await {
        Ok(found) => found,
        Err(error) if error.is_not_found() => return Ok(Arc::default()),
        Err(error) => return Err(refused(error)),
    };
    let objects = match &lookup.selection {
        LookupSelection::Name(_) => vec![Arc::new(answer(&found))],
        LookupSelection::Labels(_) => {
            let items = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            items.iter().map(|item| Arc::new(typed(answer(item), &lookup.gvk))).collect()
        }
    };
    Ok(lookup.answer_of(objects))
}

/// Returns an item of a list with the type that the server leaves out.
fn typed(mut item: Value, gvk: &GroupVersionKind) -> Value {
    if let Value::Object(fields) = &mut item {
        fields.insert("apiVersion".to_owned(), gvk.api_version().into());
        fields.insert("kind".to_owned(), gvk.kind.clone().into());
    }
    item
}

/// Returns the object as a rendering sees it. Fields that change with every write are removed, because they are no inputs.
pub(super) fn answer(object: &Value) -> Value {
    let mut object = object.clone();
    for field in ["managedFields", "resourceVersion"] {
        object.metadata_mut().remove(field);
    }
    object
}
