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

/// The context of one pass of a reconciler, for the code of the operator's author. Cheap to clone.
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

    /// Returns namespace and name of the object.
    pub fn key(&self) -> &Key {
        self.scope.pass.key()
    }

    /// Returns the reference to the object for events, in the version that this pass last saw or wrote.
    pub fn object_ref(&self) -> ObjectReference {
        self.scope.reference()
    }

    /// Returns the object as JSON, in the version that this pass last saw or wrote; None if it is absent.
    pub fn latest(&self) -> Option<Value> {
        self.scope.latest().map(|object| object.json())
    }

    /// Reads the object from the server, because the store may lag behind. Returns None if it is gone, or if another object has its name.
    pub async fn live(&self) -> Flow<Option<K>>
    where
        K: DeserializeOwned,
    {
        match self.scope.live().await? {
            Some(object) => object.decode().map(Some),
            None => Ok(None),
        }
    }

    /// Removes an annotation with which a user requested something from the object, if it has this value. Returns true if it had it. Afterwards
    /// [`latest`](Self::latest) returns the answer. A value that was changed meanwhile is a conflict.
    pub async fn consume_annotation(&self, annotation: &str, value: &str) -> Flow<bool> {
        self.scope.consume_annotation(annotation, value).await
    }

    /// Sends a JSON patch of the object's metadata, whose `test` operations describe the state for which it was made. Returns true if the object existed.
    /// Afterwards [`latest`](Self::latest) returns the answer. A state that was changed meanwhile is a conflict.
    pub async fn patch(&self, patch: &Value) -> Flow<bool> {
        self.scope.patch(patch).await
    }

    /// Changes the status in the middle of the pass, by a JSON merge patch: for facts that must be recorded before the next action. It is sent on the
    /// condition that the object still is as this pass last saw or wrote it, or that `fits` accepts its current state. The status that the method was given
    /// does not change: at its end the pass writes the differences from the status after this change.
    pub async fn change_status(&self, change: &Value, fits: &(dyn Fn(&Value) -> bool + Sync)) -> Result<Written, ApiError> {
        self.scope.change_status(change, fits).await
    }

    /// Writes no status at the end of this pass, whatever its outcome.
    pub fn leave_status(&self) {
        self.scope.leave_status();
    }

    /// Returns a client of the cluster. Its writes are visible at once in all stores of the operator.
    pub fn client(&self) -> &kube::Client {
        self.scope.services.cluster.client()
    }

    /// Returns the cluster of the object.
    pub fn cluster(&self) -> &Cluster {
        &self.scope.services.cluster
    }

    /// Returns the recorder of events on the object.
    pub fn recorder(&self) -> ObjectRecorder<'_> {
        ObjectRecorder(&self.scope)
    }

    /// Returns a typed configuration, whose value stays the same during the whole pass. It is a failure if no constructor of the operator requested
    /// `Config<T>`.
    pub fn config<T: FromConfigMap>(&self) -> Flow<Arc<T>> {
        self.scope.config().get::<T>().ok_or_else(|| {
            let text = format!("no constructor of the operator asks for Config<{}>", std::any::type_name::<T>());
            Failure::msg(text).reason("InternalError").origin(Origin::Bug).into()
        })
    }

    /// Records a write to another object that the pass has sent by [`cluster`](Self::cluster) itself, for the pages that explain passes. Writes of clients
    /// are recorded automatically.
    pub fn note_write(&self, verb: WriteVerb, kind: &GroupKind, key: &Key) {
        self.scope.pass.wrote(verb, kind, key, "");
    }

    /// Returns the handle that queues keys of this controller.
    pub fn enqueue(&self) -> QueueHandle {
        self.scope.pass.enqueue()
    }

    /// Repeats the pass no later than after this time, whatever its outcome. The smallest delay of several calls counts (ACT-18).
    pub fn recheck_after(&self, delay: Delay) {
        self.scope.pass.recheck_after(delay);
    }

    /// Returns the number of consecutive failures before this pass.
    pub fn attempt(&self) -> u32 {
        self.scope.pass.failures()
    }

    /// Returns the term in which this replica leads the object, with its bucket and number, for systems outside of Kubernetes that must be protected from
    /// writes of ended terms (LDR-31). Returns None without leadership, and in `observe` and `observe_deleted` if another replica leads.
    pub fn term(&self) -> Option<&LeaderTerm> {
        self.scope.pass.term().map(|term| &**term)
    }

    /// Returns the time that is left for the method; None without a limit.
    pub fn deadline(&self) -> Option<Duration> {
        let limit = self.scope.services.time_limit?;
        Some(limit.saturating_sub(self.clock().moment().since(self.scope.pass.started())))
    }

    /// Returns the token that is cancelled when the pass should end soon, at shutdown. The method is dropped some seconds later.
    pub fn cancelled(&self) -> &CancellationToken {
        self.scope.pass.cancelled()
    }

    /// Returns the redactor of confidential text: the default masks, and those of the operator.
    pub fn redactor(&self) -> &Redactor {
        self.scope.services.cluster.redactor()
    }

    /// Returns the clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.scope.services.cluster.clock()
    }

    /// Returns the trace id, which identifies the pass in logs: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        self.scope.pass.trace_id()
    }

    /// Sets the controller's finalizer, for a controller that sets it on demand. It must be called before something is created that `finalize` must clean up.
    /// No request is sent if the object has the finalizer. Ends the pass as done if the object is gone or being deleted meanwhile.
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

    /// Clears the controller's finalizer under all of its names, for a controller that clears it by hand
    /// ([`Controller::finalizer_by_hand`](super::Controller::finalizer_by_hand)). No request is sent if the object does not have it.
    pub async fn release(&self) -> Flow {
        match (&self.scope.services.finalizer, self.scope.latest()) {
            (Some(finalizer), Some(object)) => self.scope.release(finalizer, &object).await,
            _ => Ok(()),
        }
    }

    /// Runs this object again when the referred object changes, is created or is deleted, and returns that object from the store. The reference is registered
    /// first, so that no change is missed (TRK-1). After a successful pass its references replace those of earlier passes. A reference that no object can
    /// have ends the pass as blocked, reason `InvalidReference`.
    pub fn track<T>(&self, store: &StoredObjects<T>, reference: &SubjectReference) -> Flow<Option<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let tracked = TrackedReference::parse(reference)?;
        self.tracked(store, tracked)?;
        Ok(store.get(&Key::new(&reference.namespace, &reference.name)))
    }

    /// Tracks an object of the store's kind by its key, like [`track`](Self::track).
    pub fn track_key<T>(&self, store: &StoredObjects<T>, key: &Key) -> Flow<Option<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        self.tracked(store, TrackedReference::named(store.kind(), key.namespace(), key.name())?)?;
        Ok(store.get(key))
    }

    /// Runs this object again when an object with matching labels changes, is created or is deleted, and returns the matching objects of the store.
    pub fn track_matching<T>(&self, store: &StoredObjects<T>, namespace: &str, selector: LabelSelector) -> Flow<Vec<Arc<T>>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let tracked = TrackedReference::matching(store.kind(), namespace, selector.clone())?;
        self.tracked(store, tracked)?;
        Ok(store.matching(Some(namespace).filter(|namespace| !namespace.is_empty()), &selector))
    }

    /// Runs this object again when an object of a kind that is only known at run time changes, and returns that object. Starts a shared watch of the kind if
    /// needed: until it is filled the pass waits, reason `WatchStarting`, or `KindNotServed` as long as the cluster does not serve the kind (TRK-9).
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

    /// Changes the conditions of a status whose field has a condition type of another crate. Statuses with a field `Conditions` have the same methods on that
    /// field; for those, and for statuses without a condition set, this returns None.
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

/// The recorder of events on the object of a pass. Recording never blocks and never fails (EMIT-2).
#[derive(Clone, Copy)]
pub struct ObjectRecorder<'a>(&'a PassScope);

impl ObjectRecorder<'_> {
    /// Records an event of type Normal.
    pub fn normal(&self, reason: impl Into<Reason>, note: impl Into<String>) {
        self.record(Event::normal(reason, note));
    }

    /// Records an event of type Warning.
    pub fn warning(&self, reason: impl Into<Reason>, note: impl Into<String>) {
        self.record(Event::warning(reason, note));
    }

    /// Records an event.
    pub fn record(&self, event: Event) {
        self.0.record(event);
    }
}

impl fmt::Debug for ObjectRecorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectRecorder").field(self.0).finish()
    }
}
