use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use kube::core::PartialObjectMeta;
use kubewright_core::filter::{Change, Filter, FilterExt as _, generation, owners, status};
use kubewright_core::flow::Delay;
use kubewright_core::mapping::{by_annotation, by_label, by_label_cluster, controller_owner_key, namespace_of};
use kubewright_core::queue::Lane;
use kubewright_machinery::object::Key;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::controller::QueueHandle;
use crate::kind::KnownKind;
use crate::operator::{Declarations, OperatorContext};
use crate::store::{Kept, NoIndexes, StoreRequest, StoredObjects, shared};
use crate::targets::{StartTriggers, UsedCluster};
use crate::task::Tasks;
use crate::trigger::{AtFirst, StoreTrigger};
use crate::watch::{OperatorScope, ScopeType, StoreScope};

/// The objects of other kinds whose changes start passes of the primary kind `K`, with the mappers that choose these passes.
///
/// A mapper runs on both the old and the new state of a changed object, and on the last known state of a deleted one (MAP-10, MAP-11).
pub struct TriggerSet<K> {
    triggers: Vec<Box<dyn DeclaredTrigger>>,
    primary: PhantomData<fn() -> K>,
}

/// A watch of another kind for which no mapper is chosen yet.
#[must_use = "choose a mapper, such as `by_label` or `map`"]
pub struct WatchBuilder<'a, K, D, T = D> {
    set: &'a mut TriggerSet<K>,
    scope: StoreScope,
    is_metadata_only: bool,
    is_in_targets: bool,
    kinds: PhantomData<fn() -> (D, T)>,
}

/// A trigger whose options can still be changed.
pub struct TriggerOptions<'a, T: DeserializeOwned + Send + Sync + 'static> {
    triggers: &'a mut Vec<Box<dyn DeclaredTrigger>>,
    /// The trigger; None once it is added to its set.
    trigger: Option<TypedTrigger<T>>,
}

type Mapper<T> = Arc<dyn Fn(&Key, &Kept<T>) -> Vec<Key> + Send + Sync>;
type SharedFilter<T> = Arc<dyn Filter<Kept<T>> + Send + Sync>;

struct TypedTrigger<T: Send + Sync + 'static> {
    request: StoreRequest,
    map: Mapper<T>,
    filter: Option<SharedFilter<T>>,
    lane: Lane,
    debounce: Option<Delay>,
    is_in_targets: bool,
}

/// A trigger with its type erased.
pub(super) trait DeclaredTrigger: Send + Sync {
    fn declare(&self, declarations: &mut Declarations);
    fn open(self: Box<Self>, context: &OperatorContext) -> Box<dyn OpenTrigger>;
    /// Returns true if the trigger is for objects of the clusters that keys select (CLU-5).
    fn is_in_targets(&self) -> bool;
    fn into_in_targets(self: Box<Self>, context: &OperatorContext) -> Box<dyn StartTriggers>;
}

/// A trigger whose watch is started.
#[async_trait]
pub(super) trait OpenTrigger: Send + Sync {
    async fn synced(&self);
    fn start(self: Box<Self>, controller: &str, queue: QueueHandle, tasks: &Tasks);
}

impl<K: KnownKind> TriggerSet<K> {
    pub(super) fn new() -> Self {
        Self { triggers: Vec::new(), primary: PhantomData }
    }

    /// Adds a trigger for objects of a kind that name an object of the primary kind as their controller. It starts a pass for that controller (MAP-2).
    pub fn owned<D: KnownKind>(&mut self) -> TriggerOptions<'_, D> {
        self.watch::<D>().owned()
    }

    /// Watches the objects of a kind in the namespaces that the operator watches. The returned builder chooses the mapper.
    pub fn watch<D: KnownKind>(&mut self) -> WatchBuilder<'_, K, D> {
        WatchBuilder {
            set: self,
            scope: OperatorScope::scope(),
            is_metadata_only: false,
            is_in_targets: false,
            kinds: PhantomData,
        }
    }

    pub(super) fn declared(&self) -> impl Iterator<Item = &dyn DeclaredTrigger> {
        self.triggers.iter().map(|trigger| &**trigger)
    }

    pub(super) fn into_triggers(self) -> Vec<Box<dyn DeclaredTrigger>> {
        self.triggers
    }
}

impl<'a, K: KnownKind, D: KnownKind, T: DeserializeOwned + Send + Sync + 'static> WatchBuilder<'a, K, D, T> {
    /// Sets the scope of the watch.
    pub fn scope<S: ScopeType>(mut self) -> Self {
        self.scope = S::scope();
        self
    }

    /// Limits the watch to metadata: neither spec nor status is transferred.
    pub fn metadata_only(self) -> WatchBuilder<'a, K, D, PartialObjectMeta<D>> {
        let Self { set, scope, is_in_targets, .. } = self;
        WatchBuilder { set, scope, is_metadata_only: true, is_in_targets, kinds: PhantomData }
    }

    /// Watches the objects of the other clusters that keys have selected with [`Targets`](super::Targets), instead of those of the operator's own cluster: in
    /// all namespaces, unless the scope names some. An object queues only keys that use its cluster.
    pub fn in_targets(mut self) -> Self {
        self.is_in_targets = true;
        self
    }

    /// Maps an object to the controller that it names as its owner, if that is of the primary kind (MAP-2). For an object with a status, by default only
    /// changes of its generation, status and owners pass the filter (EF-6).
    pub fn owned(self) -> TriggerOptions<'a, T> {
        let (owner, is_namespaced) = (K::gvk().group_kind(), K::is_namespaced());
        let options = self.keys(move |_, kept| controller_owner_key(kept, &owner, is_namespaced).into_iter().collect());
        options.filter(generation().or(status()).or(owners()))
    }

    /// Maps an object to the one of the same name and, if the primary kind is namespaced, the same namespace.
    pub fn same_name(self) -> TriggerOptions<'a, T> {
        let is_namespaced = K::is_namespaced();
        self.keys(move |key, _| vec![Key::new(if is_namespaced { key.namespace() } else { "" }, key.name())])
    }

    /// Maps an object to the one that these labels name; without a label for the namespace it is that of the object (MAP-3).
    pub fn by_label(self, name: &'static str, namespace: Option<&'static str>) -> TriggerOptions<'a, T> {
        self.keys(move |key, kept| told(key, by_label(kept, name, namespace)))
    }

    /// Maps an object to the one whose key `namespace/name`, or name, is in this annotation; without a namespace there it is that of the object (MAP-9).
    pub fn by_annotation(self, annotation: &'static str) -> TriggerOptions<'a, T> {
        self.keys(move |_, kept| by_annotation(kept, annotation).into_iter().collect())
    }

    /// Maps an object to the cluster-scoped one whose name is in this label (MAP-4).
    pub fn by_label_cluster(self, name: &'static str) -> TriggerOptions<'a, T> {
        self.keys(move |key, kept| told(key, by_label_cluster(kept, name)))
    }

    /// Maps an object to the cluster-scoped one that has the name of the object's namespace (MAP-5).
    pub fn namespace_of(self) -> TriggerOptions<'a, T> {
        self.keys(|_, kept| namespace_of(kept).into_iter().collect())
    }

    /// Maps every object to this one (MAP-6).
    pub fn sentinel(self, sentinel: Key) -> TriggerOptions<'a, T> {
        self.keys(move |_, _| vec![sentinel.clone()])
    }

    /// Maps an object to those that the function returns (MAP-7).
    pub fn map<I: IntoIterator<Item = Key>>(self, map: impl Fn(&T) -> I + Send + Sync + 'static) -> TriggerOptions<'a, T> {
        self.keys(move |_, kept| kept.decode().map(|object| map(&object).into_iter().collect()).unwrap_or_default())
    }

    fn keys(self, map: impl Fn(&Key, &Kept<T>) -> Vec<Key> + Send + Sync + 'static) -> TriggerOptions<'a, T> {
        let request = StoreRequest::of::<D>(self.scope);
        let request = if self.is_metadata_only { request.metadata_only() } else { request };
        let is_in_targets = self.is_in_targets;
        let trigger = TypedTrigger { request, map: Arc::new(map), filter: None, lane: Lane::Fast, debounce: None, is_in_targets };
        TriggerOptions { triggers: &mut self.set.triggers, trigger: Some(trigger) }
    }
}

fn told(object: &Key, key: Result<Key, kubewright_core::mapping::UnsetLabel>) -> Vec<Key> {
    match key {
        Ok(key) => vec![key],
        Err(unset) => {
            tracing::debug!(%object, %unset, "an object concerns no key");
            Vec::new()
        }
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> TriggerOptions<'_, T> {
    /// Passes only changes that this filter selects; it replaces the default one. By default all changes pass, except some of owned objects (EF-6).
    pub fn filter(self, filter: impl Filter<Kept<T>> + Send + Sync + 'static) -> Self {
        self.with(|trigger| trigger.filter = Some(Arc::new(filter)))
    }

    /// Queues keys in the slow lane.
    pub fn slow(self) -> Self {
        self.with(|trigger| trigger.lane = Lane::Slow)
    }

    /// Queues keys in the urgent lane, before all others.
    pub fn urgent(self) -> Self {
        self.with(|trigger| trigger.lane = Lane::Urgent)
    }

    /// Queues a key this long after the first change that affects it; later changes join the first one (QUE-10).
    pub fn debounce(self, delay: Delay) -> Self {
        self.with(|trigger| trigger.debounce = Some(delay))
    }

    fn with(mut self, change: impl FnOnce(&mut TypedTrigger<T>)) -> Self {
        if let Some(trigger) = &mut self.trigger {
            change(trigger);
        }
        self
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> DeclaredTrigger for TypedTrigger<T> {
    fn declare(&self, declarations: &mut Declarations) {
        declarations.store(&self.request);
    }

    fn open(self: Box<Self>, context: &OperatorContext) -> Box<dyn OpenTrigger> {
        let namespaces = context.namespaces_of(&self.request);
        let objects = shared::<T, NoIndexes>(&context.cluster, &namespaces, self.request.spec());
        Box::new(OpenedTrigger { trigger: *self, objects })
    }

    fn is_in_targets(&self) -> bool {
        self.is_in_targets
    }

    fn into_in_targets(self: Box<Self>, context: &OperatorContext) -> Box<dyn StartTriggers> {
        let namespaces = context.targets.namespaces(self.request.namespaces());
        Box::new(InTargets { trigger: *self, namespaces })
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> TypedTrigger<T> {
    /// Returns the trigger from the objects of a store to keys. The caller still decides about the objects of the first list.
    fn of(
        &self,
        objects: &StoredObjects<T>,
        map: impl Fn(&Key, &Kept<T>) -> Vec<Key> + Send + Sync + 'static,
    ) -> StoreTrigger<Kept<T>> {
        let trigger = StoreTrigger::mapped(objects.kept().clone(), map).lane(self.lane);
        let trigger = match self.filter.clone() {
            Some(filter) => trigger.filter(move |change: &Change<Kept<T>>| filter.passes(change)),
            None => trigger,
        };
        let trigger = match self.debounce {
            Some(delay) => trigger.debounce(delay),
            None => trigger,
        };
        trigger.described()
    }
}

/// A trigger that is started in each target.
struct InTargets<T: Send + Sync + 'static> {
    trigger: TypedTrigger<T>,
    namespaces: Vec<String>,
}

impl<T: DeserializeOwned + Send + Sync + 'static> StartTriggers for InTargets<T> {
    fn start(&self, target: &Arc<UsedCluster>, controller: &Arc<str>, queue: &QueueHandle, stop: &CancellationToken) {
        let TypedTrigger { request, map, .. } = &self.trigger;
        let objects = shared::<T, NoIndexes>(target.cluster(), &self.namespaces, request.spec());
        target.follow(&objects, None, stop.clone());
        let (map, weak, of) = (Arc::clone(map), Arc::downgrade(target), Arc::clone(controller));
        let map = move |key: &Key, kept: &Kept<T>| {
            let target = weak.upgrade();
            let mut keys = map(key, kept);
            keys.retain(|key| target.as_ref().is_some_and(|target| target.is_used_by(&of, key)));
            keys
        };
        // Passes do not wait for the first list; it contains all that they may have missed meanwhile.
        let name = format!("{} in {} for {controller}", request.gvk().kind, target.name());
        self.trigger.of(&objects, map).start_until(name, queue.clone(), target.tasks(), stop.clone());
    }
}

struct OpenedTrigger<T: Send + Sync + 'static> {
    trigger: TypedTrigger<T>,
    objects: StoredObjects<T>,
}

#[async_trait]
impl<T: DeserializeOwned + Send + Sync + 'static> OpenTrigger for OpenedTrigger<T> {
    async fn synced(&self) {
        self.objects.synced().await;
    }

    fn start(self: Box<Self>, controller: &str, queue: QueueHandle, tasks: &Tasks) {
        let name = format!("{} for {controller}", self.trigger.request.gvk().kind);
        let map = Arc::clone(&self.trigger.map);
        // The objects of the first list are skipped, because all objects of the primary kind are queued at the start.
        let trigger = self.trigger.of(&self.objects, move |key, kept| map(key, kept)).at_first(AtFirst::Skipped);
        drop(trigger.start(name, queue, tasks));
    }
}

impl<K> fmt::Debug for TriggerSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriggerSet").field("triggers", &self.triggers.len()).finish()
    }
}

impl<K, D, T> fmt::Debug for WatchBuilder<'_, K, D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchBuilder").field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> Drop for TriggerOptions<'_, T> {
    /// Adds the trigger to its set, because all options are known now.
    fn drop(&mut self) {
        if let Some(trigger) = self.trigger.take() {
            self.triggers.push(Box::new(trigger));
        }
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> fmt::Debug for TriggerOptions<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriggerOptions").finish_non_exhaustive()
    }
}
