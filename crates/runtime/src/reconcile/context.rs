use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::core::DynamicObject;
use kubewright_core::condition::ConditionManager;
use kubewright_core::config::FromConfigMap;
use kubewright_core::flow::{Blocked, Delay, Event, Failure, Flow, Halt, Origin, Reason, Redactor, Wait};
use kubewright_core::tracker::{SubjectReference, TrackedReference};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, Key, ObjectReference};
use kubewright_machinery::selector::LabelSelector;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::scope::{Held, PassScope};
use super::tracking::DynamicState;
use crate::clock::Clock;
use crate::cluster::{ApiError, Cluster};
use crate::controller::{LeaderTerm, QueueHandle, WriteVerb};
use crate::status::Written;
use crate::store::StoredObjects;

/// One pass of a reconciler, for the code of the operator's author. Cheap to clone.
pub struct Context<K> {
    scope: Arc<PassScope>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Context<K> {
    pub(super) fn new(scope: Arc<PassScope>) -> Self {
        Self { scope, kind: PhantomData }
    }

    pub(super) fn scope(&self) -> &Arc<PassScope> {
        &self.scope
    }

    /// Namespace and name of the object.
    pub fn key(&self) -> &Key {
        self.scope.pass.key()
    }

    /// The object as events name it, in the version that this pass has seen or written last.
    pub fn object_ref(&self) -> ObjectReference {
        self.scope.reference()
    }

    /// The object as JSON, in the version that this pass has seen or written last. None when it is absent.
    pub fn latest(&self) -> Option<Value> {
        self.scope.latest().map(|object| object.json())
    }

    /// Reads the object from the server. None when it is gone, or another one has its name. For what the store may not tell yet.
    pub async fn live(&self) -> Flow<Option<K>>
    where
        K: DeserializeOwned,
    {
        match self.scope.live().await? {
            Some(object) => object.decode().map(Some),
            None => Ok(None),
        }
    }

    /// Removes an annotation from the object if it has this value, by which somebody asked for something. Returns whether it had. The answer is what
    /// [`latest`](Self::latest) returns then. A value that was changed meanwhile is a conflict.
    pub async fn consume_annotation(&self, annotation: &str, value: &str) -> Flow<bool> {
        self.scope.consume_annotation(annotation, value).await
    }

    /// Sends a JSON patch of the metadata of the object, whose operations `test` say for which state it was made. Returns whether the object was there. The
    /// answer is what [`latest`](Self::latest) returns then. A state that was changed meanwhile is a conflict.
    pub async fn patch(&self, patch: &Value) -> Flow<bool> {
        self.scope.patch(patch).await
    }

    /// Changes the status in the middle of the pass, by a JSON merge patch: for what has to be on record before something else is done. It is sent on the
    /// condition that the object is as this pass has seen or written it last, or that `fits` holds of it as it is by now. The status that the method was
    /// given is not changed with it: the end of the pass writes where that differs from the status after this change.
    pub async fn change_status(&self, change: &Value, fits: &(dyn Fn(&Value) -> bool + Sync)) -> Result<Written, ApiError> {
        self.scope.change_status(change, fits).await
    }

    /// Leaves the status as it is: no status is written at the end of this pass, whatever its outcome.
    pub fn leave_status(&self) {
        self.scope.leave_status();
    }

    /// A client of the cluster. What it writes is visible at once in all stores of the operator.
    pub fn client(&self) -> &kube::Client {
        self.scope.services.cluster.client()
    }

    /// The cluster of the object.
    pub fn cluster(&self) -> &Cluster {
        &self.scope.services.cluster
    }

    /// Records events on the object.
    pub fn recorder(&self) -> ObjectRecorder<'_> {
        ObjectRecorder(&self.scope)
    }

    /// A typed configuration: the same value during the whole pass. A failure if no constructor of the operator asked for `Config<T>`.
    pub fn config<T: FromConfigMap>(&self) -> Flow<Arc<T>> {
        self.scope.config().get::<T>().ok_or_else(|| {
            let text = format!("no constructor of the operator asks for Config<{}>", std::any::type_name::<T>());
            Failure::msg(text).reason("InternalError").origin(Origin::Bug).into()
        })
    }

    /// Notes a write to another object that the pass has sent by [`cluster`](Self::cluster) itself, for those who ask what it did. Writes of clients are noted
    /// without it.
    pub fn note_write(&self, verb: WriteVerb, kind: &GroupKind, key: &Key) {
        self.scope.pass.wrote(verb, kind, key, "");
    }

    /// Queues keys of this controller.
    pub fn enqueue(&self) -> QueueHandle {
        self.scope.pass.enqueue()
    }

    /// Repeats the pass no later than after this time, whatever its outcome. Several calls: the smallest delay counts (ACT-18).
    pub fn recheck_after(&self, delay: Delay) {
        self.scope.pass.recheck_after(delay);
    }

    /// The number of failures in a row before this pass.
    pub fn attempt(&self) -> u32 {
        self.scope.pass.failures()
    }

    /// The term in which this replica leads the object, with its bucket and number, for systems outside of Kubernetes that must be protected from
    /// writes of ended terms (LDR-31). None without leadership, and in `observe` and `observe_deleted` where another replica leads.
    pub fn term(&self) -> Option<&LeaderTerm> {
        self.scope.pass.term().map(|term| &**term)
    }

    /// The time that the method may still take; none without a limit.
    pub fn deadline(&self) -> Option<Duration> {
        let limit = self.scope.services.time_limit?;
        Some(limit.saturating_sub(self.clock().moment().since(self.scope.pass.started())))
    }

    /// Cancelled when the pass should end soon: at shutdown. The method is dropped some seconds later.
    pub fn cancelled(&self) -> &CancellationToken {
        self.scope.pass.cancelled()
    }

    /// Masks confidential text: the default masks, and those of the operator.
    pub fn redactor(&self) -> &Redactor {
        self.scope.services.cluster.redactor()
    }

    /// The clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.scope.services.cluster.clock()
    }

    /// The identity of the pass in logs: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        self.scope.pass.trace_id()
    }

    /// Sets our finalizer, for a controller that sets it on demand: to be called before something is created that `finalize` must clean up.
    /// Nothing is sent if it is there. Ends the pass as done if the object is gone or being deleted meanwhile.
    pub async fn hold(&self) -> Flow {
        let (Some(finalizer), Some(object)) = (&self.scope.services.finalizer, self.scope.latest()) else {
            let message = "`hold` sets the finalizer of a reconciler with `finalize`; this one has none";
            return Blocked::new(Reason::new("NoFinalizer"), message).into();
        };
        match self.scope.hold(finalizer, &object).await? {
            Held::Here(_) => Ok(()),
            Held::TooLate => Err(Halt::Done),
        }
    }

    /// Clears our finalizer under all of its names, for a controller that clears it by hand
    /// ([`Controller::finalizer_by_hand`](super::Controller::finalizer_by_hand)). Nothing is sent if it is not there.
    pub async fn release(&self) -> Flow {
        match (&self.scope.services.finalizer, self.scope.latest()) {
            (Some(finalizer), Some(object)) => self.scope.release(finalizer, &object).await,
            _ => Ok(()),
        }
    }

    /// Runs this object again when the referred object changes, comes or goes, and returns it as the store has it now: registered first, so that no
    /// change is missed (TRK-1). After a successful pass its references replace those of earlier passes. A reference that no object can have
    /// ends the pass as blocked, reason `InvalidReference`.
    pub fn track<T>(&self, store: &StoredObjects<T>, reference: &SubjectReference) -> Flow<Option<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let tracked = TrackedReference::parse(reference)?;
        self.tracked(store, tracked)?;
        Ok(store.get(&Key::new(&reference.namespace, &reference.name)))
    }

    /// The same for an object of the store's kind, by its key.
    pub fn track_key<T>(&self, store: &StoredObjects<T>, key: &Key) -> Flow<Option<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        self.tracked(store, TrackedReference::named(store.kind(), key.namespace(), key.name())?)?;
        Ok(store.get(key))
    }

    /// Runs this object again when one of the objects changes, comes or goes whose labels match, and returns those that the store has now.
    pub fn track_matching<T>(&self, store: &StoredObjects<T>, namespace: &str, selector: LabelSelector) -> Flow<Vec<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let tracked = TrackedReference::matching(store.kind(), namespace, selector.clone())?;
        self.tracked(store, tracked)?;
        Ok(store.matching(Some(namespace).filter(|namespace| !namespace.is_empty()), &selector))
    }

    /// Runs this object again when an object of a kind known at run time only changes, and returns it. Starts a shared watch of the kind when needed:
    /// until it is filled the pass waits, reason `WatchStarting`, or `KindNotServed` as long as the cluster does not serve the kind (TRK-9).
    pub fn track_dynamic(&self, reference: &SubjectReference) -> Flow<Option<Arc<DynamicObject>>> {
        let tracked = TrackedReference::parse(reference)?;
        let kind = tracked.kind().clone();
        let version = reference.api_version.rsplit('/').next().unwrap_or_default();
        let gvk = GroupVersionKind::new(kind.group, version, kind.kind);
        match self.scope.services.tracker.dynamic(&self.scope.pass, &gvk) {
            DynamicState::Ready(store) => self.track(&store, reference),
            DynamicState::Starting => {
                Wait::for_event("WatchStarting").message(format!("the watch of {} starts", gvk.kind)).into()
            }
            DynamicState::NotServed => {
                let message = format!("the cluster does not serve {} in {}", gvk.kind, reference.api_version);
                Wait::for_event("KindNotServed").message(message).into()
            }
        }
    }

    fn tracked<T>(&self, store: &StoredObjects<T>, reference: TrackedReference) -> Flow
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        if reference.kind() != store.kind() {
            let message =
                format!("invalid Reference:\nKind: it is {:?}, and the store has {:?}", reference.kind().kind, store.kind().kind);
            return Blocked::new("InvalidReference", message).into();
        }
        self.scope.services.tracker.track(&self.scope.tracking, &self.scope.pass, store, reference);
        Ok(())
    }

    /// Changes the conditions of a status whose field has a condition type of another crate; statuses with a field `Conditions` have the same
    /// methods there. None for those, and for statuses without a condition set.
    pub fn conditions<T>(&self, change: impl FnOnce(&mut ConditionManager) -> T) -> Option<T> {
        self.scope.change_conditions(change)
    }
}

impl<K> Clone for Context<K> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.scope))
    }
}

impl<K> fmt::Debug for Context<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scope.fmt(f)
    }
}

/// Records events on the object of a pass. Recording never blocks and never fails (EMIT-2).
#[derive(Clone, Copy)]
pub struct ObjectRecorder<'a>(&'a PassScope);

impl ObjectRecorder<'_> {
    /// An event of type Normal.
    pub fn normal(&self, reason: impl Into<Reason>, note: impl Into<String>) {
        self.record(Event::normal(reason, note));
    }

    /// An event of type Warning.
    pub fn warning(&self, reason: impl Into<Reason>, note: impl Into<String>) {
        self.record(Event::warning(reason, note));
    }

    /// An event.
    pub fn record(&self, event: Event) {
        self.0.record(event);
    }
}

impl fmt::Debug for ObjectRecorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectRecorder").field(self.0).finish()
    }
}
