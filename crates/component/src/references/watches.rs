use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use kubewright_core::backoff::Transient;
use kubewright_core::reference::{Found, ReferenceKind, ReferencedData, ReferencedObject};
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{GroupKind, GroupVersionKind, Key, ObjectExt as _};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, Cluster, RequestRetries};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{News, follow};
use kubewright_runtime::watch::{Cause, ProjectedStore, WatchState};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::content::KeptContent;
use super::group::{ReferenceGroup, ReferenceWatch};
use crate::defaults::FIRST_LIST;
use crate::observe::{Notify, caused_by, title};

/// The watches on referenced objects of all components of one type. Changes queue the components that refer to them.
#[derive(Clone)]
pub(crate) struct ReferenceWatches {
    inner: Arc<SharedReferenceWatches>,
}

struct SharedReferenceWatches {
    cluster: Cluster,
    tasks: Tasks,
    notify: Notify,
    groups: Mutex<HashMap<ReferenceScope, ReferenceGroup>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ReferenceScope {
    kind: ReferenceKind,
    namespace: String,
}

impl ReferenceWatches {
    pub(crate) fn new(cluster: Cluster, tasks: Tasks, notify: Notify) -> Self {
        Self { inner: Arc::new(SharedReferenceWatches { cluster, tasks, notify, groups: Mutex::default() }) }
    }

    /// Replaces the objects of its namespace that the component refers to.
    pub(crate) fn set(&self, component: &Key, targets: &BTreeSet<ReferencedObject>) {
        let mut groups = self.inner.groups.lock();
        for kind in [ReferenceKind::ConfigMap, ReferenceKind::Secret] {
            let scope = ReferenceScope { kind, namespace: component.namespace().to_owned() };
            let of_kind = targets.iter().filter(|target| target.kind == kind);
            let names: BTreeSet<String> = of_kind.map(|target| target.name.clone()).collect();
            if names.is_empty() && !groups.contains_key(&scope) {
                continue;
            }
            let group = groups.entry(scope.clone()).or_default();
            group.set(component, &names);
            group.adjust(&self.inner.cluster, kind, &scope.namespace, |store, replaces| self.listen(&scope, store, replaces));
            if group.is_empty() {
                groups.remove(&scope);
            }
        }
    }

    /// Returns the state of each of the objects.
    pub(crate) async fn load(&self, component: &Key, targets: &BTreeSet<ReferencedObject>) -> HashMap<ReferencedObject, Found> {
        let loads = targets.iter().map(|target| async { (target.clone(), self.find(component.namespace(), target).await) });
        futures::future::join_all(loads).await.into_iter().collect()
    }

    /// Returns the kinds of these objects that may not be watched.
    pub(crate) fn refused(&self, component: &Key, targets: &BTreeSet<ReferencedObject>) -> BTreeSet<String> {
        let groups = self.inner.groups.lock();
        let is_refused = |target: &&ReferencedObject| {
            let scope = ReferenceScope { kind: target.kind, namespace: component.namespace().to_owned() };
            let store = groups.get(&scope).and_then(|group| group.store(&target.name));
            store.is_some_and(|store| store.status().state == WatchState::Forbidden)
        };
        targets.iter().filter(is_refused).map(|target| title(&target.kind.group_kind())).collect()
    }

    async fn find(&self, namespace: &str, target: &ReferencedObject) -> Found {
        let scope = ReferenceScope { kind: target.kind, namespace: namespace.to_owned() };
        let store = self.inner.groups.lock().get(&scope).and_then(|group| group.store(&target.name));
        let Some(store) = store else {
            return self.read(namespace, target, None).await;
        };
        let clock = self.inner.cluster.clock();
        match clock.limit(FIRST_LIST, store.settled()).await {
            Ok(WatchState::Forbidden) => return self.read(namespace, target, None).await,
            Ok(_) => {}
            Err(_) => {
                let why = store.status().error.map(|error| format!(": {error}")).unwrap_or_default();
                return Found::Unknown { message: format!("it cannot be observed{why}"), transient: Some(Transient::default()) };
            }
        }
        match store.find(namespace, &target.name).as_deref() {
            Some(KeptContent::Kept(data)) => Found::Data(Arc::clone(data)),
            Some(KeptContent::Dropped) => self.read(namespace, target, Some(&store)).await,
            None => Found::Absent,
        }
    }

    /// Marks objects that do not exist as gone for good if their namespace is being deleted, since nothing can be created in it. For a component
    /// that is being deleted. The server itself must report the deletion of the namespace. Returns the namespace if it is being deleted.
    pub(crate) async fn find_gone(&self, component: &Key, found: &mut HashMap<ReferencedObject, Found>) -> Option<Value> {
        let (cluster, namespace) = (&self.inner.cluster, component.namespace());
        let namespaces = ApiResource::known(&GroupVersionKind::new("", "v1", "Namespace"), "namespaces", false);
        let read = cluster.send_retrying(&ApiRequest::get(&namespaces, "", namespace), &RequestRetries::default()).await;
        let ending = match read {
            Ok(object) => Some(object).filter(|object| object.deletion_timestamp().is_some()),
            Err(error) => {
                tracing::info!(%namespace, %error, "failed to determine whether the namespace is being deleted");
                None
            }
        }?;
        for (target, found) in found.iter_mut().filter(|(_, found)| matches!(found, Found::Absent)) {
            *found = match self.read(namespace, target, None).await {
                Found::Absent => Found::Gone,
                other => other,
            };
        }
        Some(ending)
    }

    /// Reads an object that no watch may show, or whose data was dropped when the watch delivered it.
    async fn read(&self, namespace: &str, target: &ReferencedObject, store: Option<&ProjectedStore<KeptContent>>) -> Found {
        let kind = target.kind.group_kind();
        let gvk = GroupVersionKind::new(kind.group, "v1", kind.kind);
        let resource = ApiResource::known(&gvk, target.kind.plural(), true);
        let request = ApiRequest::get(&resource, namespace, &target.name);
        match self.inner.cluster.send_retrying(&request, &RequestRetries::default()).await {
            Ok(object) => {
                if let Some(store) = store {
                    store.record_read(&object);
                }
                Found::Data(Arc::new(ReferencedData::of(&object)))
            }
            Err(error) if error.is_not_found() => Found::Absent,
            Err(error) => Found::Unknown { transient: error.transient(), message: error.to_string() },
        }
    }

    /// Listens to a watch. `replaces` is true if it takes the place of another watch.
    fn listen(&self, scope: &ReferenceScope, store: ProjectedStore<KeptContent>, replaces: bool) -> ReferenceWatch {
        let mut forbidden = is_forbidden(store.status().state);
        let (inner, at, mut awaits_list) = (Arc::downgrade(&self.inner), scope.clone(), replaces);
        let kind = Arc::new(scope.kind.group_kind());
        let tell = move |news: News<KeptContent>| {
            let Some(inner) = inner.upgrade() else { return };
            match news {
                // Components that relied on the other watch may have missed changes between the two.
                News::Synced if awaits_list => {
                    awaits_list = false;
                    inner.notify_all(&at, &kind);
                }
                News::Turned(status) => {
                    let now = is_forbidden(status.state);
                    // The pass that requested the watch notices its first state itself.
                    if now.is_some() && std::mem::replace(&mut forbidden, now).is_some_and(|before| Some(before) != now) {
                        inner.notify_all(&at, &kind);
                    }
                }
                // The pass that requested the watch reads the first list itself, and own reads are no changes.
                News::Changed(change)
                    if !awaits_list && change.cause == Cause::Event && !same(change.old.as_deref(), change.new.as_deref()) =>
                {
                    inner.notify_users(&at, change.key.name(), &caused_by(&kind, &change));
                }
                _ => {}
            }
        };
        let (name, stop) = (format!("references {store}"), CancellationToken::new());
        follow(store.clone(), name, &self.inner.tasks, stop.clone(), tell);
        ReferenceWatch::new(store, stop)
    }
}

impl SharedReferenceWatches {
    fn notify_all(&self, scope: &ReferenceScope, kind: &Arc<GroupKind>) {
        let users = self.groups.lock().get(scope).map(ReferenceGroup::everyone).unwrap_or_default();
        for component in &users {
            (self.notify)(component, QueuedBy::WatchTurned(Arc::clone(kind)));
        }
    }

    fn notify_users(&self, scope: &ReferenceScope, name: &str, cause: &QueuedBy) {
        let users = self.groups.lock().get(scope).map(|group| group.users(name)).unwrap_or_default();
        for component in &users {
            (self.notify)(component, cause.clone());
        }
    }
}

/// Returns true if a watch is forbidden, or `None` while that is not known.
fn is_forbidden(state: WatchState) -> Option<bool> {
    match state {
        WatchState::Forbidden => Some(true),
        WatchState::Watching => Some(false),
        _ => None,
    }
}

/// Returns true if the data is equal; nothing else is relevant.
fn same(old: Option<&KeptContent>, new: Option<&KeptContent>) -> bool {
    let data = |content: Option<&KeptContent>| -> Option<Arc<ReferencedData>> {
        match content {
            Some(KeptContent::Kept(data)) => Some(Arc::clone(data)),
            _ => None,
        }
    };
    matches!((data(old), data(new)), (Some(old), Some(new)) if old == new)
}

impl fmt::Debug for ReferenceWatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceWatches").field("groups", &self.inner.groups.lock().len()).finish_non_exhaustive()
    }
}
