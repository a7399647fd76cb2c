use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _};
use kubewright_core::dependents::Projection;
use kubewright_core::time::Moment;
use kubewright_machinery::object::{GroupKind, ObjectExt as _, ObjectKey};
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, RequestRetries};
use kubewright_runtime::watch::Project;
use parking_lot::Mutex;
use serde_json::Value;

use crate::defaults::FORBIDDEN_AGAIN;

/// The number of objects per page of a list.
const PAGE: u32 = 500;
/// The number of objects that are read in parallel.
const PARALLEL: usize = 16;

/// The reader of dependents whose kind may not be watched: it sends one list if that is allowed, else it reads them one by one (WATCH-6).
pub(super) struct Polls {
    cluster: Cluster,
    projector: Arc<dyn Project<Output = Projection>>,
    /// The label with the owner hash.
    label: String,
    /// The means that replace forbidden ones, by kind, with the time of the refusal.
    means: Mutex<HashMap<GroupKind, (Means, Moment)>>,
}

/// The means of reading the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// One list in the whole cluster.
    Everywhere,
    /// One list per namespace.
    ByNamespace,
    /// One request per object, by its name.
    OneByOne,
}

impl Means {
    /// Returns the means to try if this one is forbidden.
    fn instead(self, resource: &ApiResource) -> Option<Self> {
        match self {
            Self::Everywhere if resource.namespaced => Some(Self::ByNamespace),
            Self::Everywhere | Self::ByNamespace => Some(Self::OneByOne),
            Self::OneByOne => None,
        }
    }
}

/// The existing dependents of a component, as read.
pub(crate) type Polled = HashMap<ObjectKey, Arc<Projection>>;

impl Polls {
    pub(super) fn new(cluster: Cluster, projector: Arc<dyn Project<Output = Projection>>, label: String) -> Self {
        Self { cluster, projector, label, means: Mutex::default() }
    }

    /// Reads the objects, all of one kind, that exist and carry this owner hash. A list returns all objects that carry it.
    pub(super) async fn read(&self, kind: &GroupKind, hash: &str, keys: &BTreeSet<ObjectKey>) -> Result<Polled, ApiError> {
        let Some(resource) = self.cluster.discovery().resolve(kind).await? else {
            return Ok(Polled::new());
        };
        let mut means = self.means(kind);
        loop {
            let read = match means {
                Means::Everywhere => self.list(&resource, None, hash).await,
                Means::ByNamespace => {
                    let namespaces: BTreeSet<&str> = keys.iter().map(|key| key.namespace.as_str()).collect();
                    let mut found = Ok(Vec::new());
                    for namespace in namespaces {
                        let listed = self.list(&resource, Some(namespace), hash).await;
                        found = found.and_then(|mut all: Vec<Value>| {
                            all.extend(listed?);
                            Ok(all)
                        });
                    }
                    found
                }
                Means::OneByOne => self.get(&resource, keys).await,
            };
            match read {
                Err(error) if error.is_forbidden() => {
                    means = means.instead(&resource).ok_or(error)?;
                    self.means.lock().insert(kind.clone(), (means, self.cluster.clock().moment()));
                }
                // A type that is gone has no objects.
                Err(error) if error.is_not_found() => return Ok(Polled::new()),
                Err(error) => return Err(error),
                Ok(objects) => return Ok(self.project(&resource, hash, objects)),
            }
        }
    }

    fn means(&self, kind: &GroupKind) -> Means {
        let now = self.cluster.clock().moment();
        let known = self.means.lock().get(kind).copied();
        known.filter(|(_, at)| now.since(*at) < FORBIDDEN_AGAIN).map_or(Means::Everywhere, |(means, _)| means)
    }

    async fn list(&self, resource: &ApiResource, namespace: Option<&str>, hash: &str) -> Result<Vec<Value>, ApiError> {
        let selector = format!("{}={hash}", self.label);
        let mut objects = Vec::new();
        let mut next = None;
        loop {
            let mut request = ApiRequest::list(resource, namespace).labels(&selector).page(PAGE);
            if let Some(page) = next.take() {
                request = request.query("continue", page);
            }
            let mut list = self.cluster.send_retrying(&request, &RequestRetries::default()).await?;
            if let Some(Value::Array(items)) = list.get_mut("items").map(Value::take) {
                objects.extend(items);
            }
            let page = list.pointer("/metadata/continue").and_then(Value::as_str).filter(|page| !page.is_empty());
            next = page.map(str::to_owned);
            if next.is_none() {
                return Ok(objects);
            }
        }
    }

    async fn get(&self, resource: &ApiResource, keys: &BTreeSet<ObjectKey>) -> Result<Vec<Value>, ApiError> {
        let requests: Vec<ApiRequest> = keys.iter().map(|key| ApiRequest::get(resource, &key.namespace, &key.name)).collect();
        let reads = futures::stream::iter(requests).map(|request| self.get_one(request));
        reads.buffered(PARALLEL).try_filter_map(|object| async { Ok(object) }).try_collect().await
    }

    async fn get_one(&self, request: ApiRequest) -> Result<Option<Value>, ApiError> {
        match self.cluster.send_retrying(&request, &RequestRetries::default()).await {
            Ok(object) => Ok(Some(object)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Projects the objects that carry this owner hash. Objects with another owner, or with none, are skipped, as a list would skip them.
    fn project(&self, resource: &ApiResource, hash: &str, objects: Vec<Value>) -> Polled {
        let read = objects.into_iter().filter_map(|mut object| {
            // The items of a list carry no kind and apiVersion.
            object["kind"] = resource.kind.clone().into();
            object["apiVersion"] = resource.api_version().into();
            if object.label(&self.label) != Some(hash) {
                return None;
            }
            Some((object.key()?, Arc::new(self.projector.project(&object).ok()?)))
        });
        read.collect()
    }
}

impl fmt::Debug for Polls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Polls").field("means", &self.means.lock()).finish_non_exhaustive()
    }
}
