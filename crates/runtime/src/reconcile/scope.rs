use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kubewright_core::backoff::PersistedBackoff;
use kubewright_core::class::ClassFilter;
use kubewright_core::condition::{ConditionEvents, ConditionManager, ConditionPolicy};
use kubewright_core::finalizer::{EndedCleanup, FORCED, FinalizerName, GiveUp, Released};
use kubewright_core::flow::{Classified, Event, Failure, Flow, Halt, Origin};
use kubewright_core::time::Moment;
use kubewright_core::why::WriteVerb;
use kubewright_machinery::object::{GroupKind, GroupVersionKind, Key, ObjectExt as _, ObjectReference};
use kubewright_machinery::patch::merge_patch;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::methods::{Method, Methods};
use super::object::{PassObject, Primary};
use super::options::FinalizerCare;
use super::pipeline::Layers;
use super::tracking::{PassTracking, Tracker};
use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, is_removed};
use crate::config::{ConfigSnapshot, Configs};
use crate::controller::PassContext;
use crate::ensure::{ChildPass, Children};
use crate::events::Recorder;
use crate::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
use crate::status::{Meanwhile, StatusWriter, Written};
use crate::targets::{ControllerTargets, PassTargets, UsedCluster};

/// The annotation value by which a user opens the update gate for one successful pass.
const ONCE: &str = "once";

/// The services that the passes of one controller share.
pub(super) struct Services {
    pub(super) controller: Arc<str>,
    pub(super) gvk: GroupVersionKind,
    pub(super) kind: GroupKind,
    pub(super) resource: Arc<ApiResource>,
    /// The field manager of the framework's own writes to the object.
    pub(super) manager: Arc<str>,
    pub(super) cluster: Cluster,
    pub(super) recorder: Recorder,
    pub(super) primary: Arc<dyn Primary>,
    pub(super) methods: Arc<dyn Methods>,
    /// The finalizer; None for a reconciler without `finalize`.
    pub(super) finalizer: Option<ControllerFinalizer>,
    pub(super) statuses: StatusWriter,
    pub(super) tracker: Tracker,
    pub(super) targets: ControllerTargets,
    pub(super) children: Arc<Children>,
    pub(super) class: Option<ClassFilter>,
    /// The annotation and its value by which objects are ignored.
    pub(super) ignored: Option<(String, String)>,
    pub(super) policy: ConditionPolicy,
    pub(super) condition_events: ConditionEvents,
    /// The policy of the persisted back-off; None for back-off in memory.
    pub(super) persisted: Option<PersistedBackoff>,
    pub(super) configs: Configs,
    /// The time limit of a method.
    pub(super) time_limit: Option<Duration>,
    /// The layers of the operator's author between the stages.
    pub(super) layers: Layers,
}

impl Services {
    /// Drops the memory of a key.
    pub(super) fn forget(&self, key: &Key) {
        self.tracker.drop_observer(key);
        self.targets.forget(key);
        self.children.forget(key);
    }

    /// Returns true if an object is to be ignored because of its annotation (EF-3).
    pub(super) fn ignores(&self, object: &PassObject) -> bool {
        self.ignored.as_ref().is_some_and(|(annotation, value)| object.head().annotation(annotation) == Some(value))
    }
}

/// The finalizer of a controller.
pub(super) struct ControllerFinalizer {
    pub(super) writer: FinalizerWriter,
    /// The current name, followed by the former names.
    pub(super) names: Arc<[FinalizerName]>,
    /// The party that sets and clears the finalizer.
    pub(super) care: FinalizerCare,
    /// The treatment of an object whose `finalize` does not succeed.
    pub(super) give_up: GiveUp,
    /// The annotation by which a user forces the removal.
    pub(super) force: Arc<str>,
}

/// The state of one pass of a reconciler that the stages and the user's code share.
pub(crate) struct PassScope {
    pub(super) pass: Arc<PassContext>,
    pub(super) services: Arc<Services>,
    /// All typed configuration at the beginning of the pass (STAGE-3).
    config: Arc<ConfigSnapshot>,
    /// The object as this pass last saw or wrote it.
    latest: Mutex<Option<Arc<PassObject>>>,
    /// The conditions, while user code runs that can only access them through the context.
    conditions: Mutex<Option<ConditionManager>>,
    pub(super) tracking: PassTracking,
    /// The other clusters that this pass uses.
    pub(super) targets: PassTargets,
    /// True if the pass had to stop before it learned anything that its object does not show already.
    knows_nothing_new: Mutex<bool>,
    /// True if the pass has recorded its writes to the finalizers.
    has_told: Mutex<bool>,
    /// True if a pipeline of the pass is paused; None if the pass ran no pipeline that can be paused.
    paused: Mutex<Option<bool>>,
    /// True if no status is written at the end of the pass.
    leaves_status: AtomicBool,
    /// The children, once the pass has used one.
    children: OnceLock<Arc<ChildPass>>,
    /// The changes of the status that were written in the middle of the pass.
    changes: Mutex<Vec<Value>>,
}

/// The result of setting the controller's finalizer.
pub(super) enum Held {
    /// The object has the finalizer; the pass continues with this object.
    Here(Arc<PassObject>),
    /// The object is gone or is being deleted.
    TooLate,
}

impl PassScope {
    pub(super) fn new(pass: Arc<PassContext>, services: Arc<Services>) -> Self {
        let config = services.configs.current();
        Self {
            pass,
            services,
            config,
            latest: Mutex::default(),
            conditions: Mutex::default(),
            tracking: PassTracking::new(),
            targets: PassTargets::default(),
            knows_nothing_new: Mutex::default(),
            has_told: Mutex::default(),
            paused: Mutex::default(),
            leaves_status: AtomicBool::new(false),
            children: OnceLock::new(),
            changes: Mutex::default(),
        }
    }

    /// Records that the pass has to stop and knows nothing yet that is worth reporting, because an answer or a first list is on its way.
    pub(super) fn knows_nothing_new(&self) {
        *self.knows_nothing_new.lock() = true;
    }

    /// Returns true if the pass ended with a wait for something that is just being found out, and the object shows the result of an earlier pass.
    pub(super) fn is_inconclusive(&self, outcome: &Flow, before: &PassObject) -> bool {
        let is_told = before.generation().is_some() && before.observed_generation() == before.generation();
        matches!(outcome, Err(Halt::Wait(_))) && is_told && *self.knows_nothing_new.lock()
    }

    /// Ends the use of these other clusters by the key.
    pub(super) fn left(&self, targets: &[Arc<UsedCluster>]) {
        for target in targets {
            // The key may still use one of them in another role.
            if !target.is_used_by(&self.services.controller, self.pass.key()) {
                self.services.tracker.leave(target.cluster().watches(), self.pass.key());
            }
        }
    }

    /// Ends the method: after a success, all that earlier passes used and this one did not is dropped.
    pub(super) fn settle(&self, outcome: &Flow) {
        self.left(&self.services.targets.settle(&self.targets, self.pass.key(), outcome));
        self.services.tracker.settle(&self.tracking, self.pass.key(), outcome);
        if matches!(outcome, Ok(()) | Err(Halt::Done)) {
            let used = self.children.get().map(|children| children.used()).unwrap_or_default();
            self.services.children.settle(self.pass.key(), &used);
        }
    }

    /// Drops the memory of the key, whose object is gone or no longer belongs to the controller.
    pub(super) fn forget(&self) {
        self.services.forget(self.pass.key());
    }

    /// Returns all typed configuration of the pass.
    pub(super) fn config(&self) -> &Arc<ConfigSnapshot> {
        &self.config
    }

    /// Returns the object as this pass last saw or wrote it.
    pub(super) fn latest(&self) -> Option<Arc<PassObject>> {
        self.latest.lock().clone()
    }

    pub(super) fn saw(&self, object: Arc<PassObject>) {
        *self.latest.lock() = Some(object);
    }

    /// Records the answer to a write of this pass: a patch of the object, or of its subresource.
    pub(super) fn wrote(&self, answer: &Value, subresource: &str) -> Arc<PassObject> {
        self.pass.wrote(WriteVerb::Patched, &self.services.kind, self.pass.key(), subresource);
        self.services.primary.record_write(answer);
        let object = Arc::new(PassObject::answered(answer));
        self.saw(Arc::clone(&object));
        object
    }

    pub(super) fn keep_conditions(&self, conditions: Option<ConditionManager>) {
        *self.conditions.lock() = conditions;
    }

    pub(super) fn kept_conditions(&self) -> Option<ConditionManager> {
        self.conditions.lock().take()
    }

    /// Records if a pipeline of the pass is paused. One paused pipeline among several is enough.
    pub(crate) fn note_paused(&self, is_paused: bool) {
        let mut paused = self.paused.lock();
        *paused = Some(is_paused || *paused == Some(true));
    }

    /// Returns true if a pipeline of the pass is paused; None if the pass ran no pipeline that can be paused.
    pub(super) fn paused(&self) -> Option<bool> {
        *self.paused.lock()
    }

    /// Records that the pass has reached a step of a pipeline (STEP-10).
    pub(crate) fn reached_step(&self, step: &str) {
        self.pass.reached_step(step);
    }

    /// Measures a step of a pipeline (STEP-10).
    pub(crate) fn step_took(&self, pipeline: &'static str, step: &str, took: Duration) {
        self.pass.step_took(pipeline, step, took);
    }

    /// Returns the time of the monotonic clock.
    pub(crate) fn moment(&self) -> Moment {
        self.services.cluster.clock().moment()
    }

    /// Changes the conditions that are kept here, if there are any.
    pub(super) fn change_conditions<T>(&self, change: impl FnOnce(&mut ConditionManager) -> T) -> Option<T> {
        self.conditions.lock().as_mut().map(change)
    }

    /// Writes no status at the end of this pass.
    pub(super) fn leave_status(&self) {
        self.leaves_status.store(true, Ordering::Relaxed);
    }

    pub(super) fn leaves_status(&self) -> bool {
        self.leaves_status.load(Ordering::Relaxed)
    }

    /// Returns the children of the object. It is a failure in a pass without an object.
    pub(super) fn children(&self) -> Result<Arc<ChildPass>, Failure> {
        if let Some(children) = self.children.get() {
            return Ok(Arc::clone(children));
        }
        let Some(object) = self.latest() else {
            return Err(Failure::msg("an object that is gone has no children").reason("InternalError").origin(Origin::Bug));
        };
        let (services, pass) = (&self.services, Arc::clone(&self.pass));
        let children = ChildPass::new(Arc::clone(&services.children), pass, &services.gvk, object.head(), object.status());
        Ok(Arc::clone(self.children.get_or_init(|| Arc::new(children))))
    }

    /// Returns the children that the update gate held back, by their names in messages.
    pub(super) fn held_children(&self) -> Vec<String> {
        self.children.get().map(|children| children.held()).unwrap_or_default()
    }

    /// Completes a successful method: removes a user's one-time request (KID-14), and deletes the helpers of a cleanup (KID-6).
    pub(super) async fn complete(&self, method: Method) -> Flow {
        match method {
            Method::Reconcile if self.children.get().is_some_and(|children| children.has_gate()) => {
                self.consume_annotation(&self.services.children.marks().autoupdate(), ONCE).await.map(drop)
            }
            Method::Finalize => self.children()?.delete_helpers().await,
            _ => Ok(()),
        }
    }

    /// Changes the status in the middle of the pass.
    pub(super) async fn change_status(
        &self,
        change: &Value,
        fits: &(dyn Fn(&Value) -> bool + Sync),
    ) -> Result<Written, ApiError> {
        let Some(object) = self.latest() else { return Ok(Written::Gone) };
        let written = self.services.statuses.write(object.head(), change.to_string(), Meanwhile::Only(fits)).await?;
        match &written {
            Written::Persisted(answer) => {
                self.wrote(answer, "status");
                self.changes.lock().push(change.clone());
            }
            Written::Overtaken(live) => self.services.primary.record_write(live),
            Written::Gone => {}
        }
        Ok(written)
    }

    /// Applies the changes that were written in the middle of the pass to the status from the beginning of the pass.
    pub(super) fn changed(&self, status: &mut Value) {
        for change in &*self.changes.lock() {
            merge_patch(status, change);
        }
    }

    /// Reads the object from the server. Returns None if it is gone, or if another object has its name.
    pub(super) async fn live(&self) -> Flow<Option<Arc<PassObject>>> {
        let (services, key) = (&self.services, self.pass.key());
        let live = match services.cluster.send(&ApiRequest::get(&services.resource, key.namespace(), key.name())).await {
            Ok(live) => live,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(Failure::unclassified(error).into()),
        };
        if self.latest().is_some_and(|known| known.uid() != live.uid()) {
            return Ok(None);
        }
        services.primary.record_write(&live);
        let object = Arc::new(PassObject::answered(&live));
        self.saw(Arc::clone(&object));
        Ok(Some(object))
    }

    /// Removes an annotation from the object if it has this value. Returns true if it had it.
    pub(super) async fn consume_annotation(&self, annotation: &str, value: &str) -> Flow<bool> {
        let Some(object) = self.latest().filter(|object| object.head().annotation(annotation) == Some(value)) else {
            return Ok(false);
        };
        let path = format!("/metadata/annotations/{}", annotation.replace('~', "~0").replace('/', "~1"));
        // Another writer may have set another value meanwhile.
        let patch = json!([
            { "op": "test", "path": "/metadata/uid", "value": object.uid() },
            { "op": "test", "path": path, "value": value },
            { "op": "remove", "path": path },
        ]);
        self.patch(&patch).await
    }

    /// Sends a JSON patch of the object, whose tests describe the state for which it was made. Returns true if the object existed.
    pub(super) async fn patch(&self, patch: &Value) -> Flow<bool> {
        let (services, key) = (&self.services, self.pass.key());
        let request = ApiRequest::patch(&services.resource, key.namespace(), key.name(), PatchKind::Json, patch);
        match services.cluster.send(&request.field_manager(&services.manager)).await {
            Ok(answer) => {
                self.wrote(&answer, "");
                Ok(true)
            }
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) if error.code() == Some(422) => Err(overtaken(error).into()),
            Err(error) => Err(Failure::unclassified(error).into()),
        }
    }

    /// Returns the reference to the object for events.
    pub(super) fn reference(&self) -> ObjectReference {
        if let Some(object) = self.latest() {
            return object.reference();
        }
        let (gvk, key) = (&self.services.gvk, self.pass.key());
        ObjectReference {
            api_version: gvk.api_version(),
            kind: gvk.kind.clone(),
            namespace: key.namespace().to_owned(),
            name: key.name().to_owned(),
            ..ObjectReference::default()
        }
    }

    pub(super) fn record(&self, event: Event) {
        self.services.recorder.record(&self.reference(), event);
    }

    /// Returns true if this pass has recorded that it set the finalizer: the event of a first success would only repeat that.
    pub(super) fn has_told_of_finalizer(&self) -> bool {
        *self.has_told.lock()
    }

    /// Sets the controller's finalizer (FNL-2 to FNL-4). An object that has it or is being deleted is not changed.
    pub(super) async fn hold(&self, finalizer: &ControllerFinalizer, object: &Arc<PassObject>) -> Flow<Held> {
        let same = |live: &Value| live.uid() == object.uid();
        match finalizer.writer.add(object.head(), same).await {
            Ok(FinalizerOutcome::Unchanged) if object.is_deleting() => Ok(Held::TooLate),
            Ok(FinalizerOutcome::Unchanged) => Ok(Held::Here(Arc::clone(object))),
            Ok(FinalizerOutcome::Changed(answer)) => {
                let object = self.wrote(&answer, "");
                self.told_of_finalizer(finalizer, &object);
                Ok(Held::Here(object))
            }
            Ok(FinalizerOutcome::Deleting(live)) => {
                self.services.primary.record_write(&live);
                Ok(Held::TooLate)
            }
            Ok(FinalizerOutcome::Gone | FinalizerOutcome::Dropped(_)) => Ok(Held::TooLate),
            Ok(FinalizerOutcome::Overtaken(error)) => Err(overtaken(error).into()),
            Err(error) => {
                self.failed_to_update_finalizers(&error);
                Err(Failure::unclassified(error).into())
            }
        }
    }

    /// Clears the controller's finalizer under all of its names (FNL-5, FNL-6).
    pub(super) async fn release(&self, finalizer: &ControllerFinalizer, object: &Arc<PassObject>) -> Flow {
        // After a successful cleanup no helpers are left.
        if let Ok(children) = self.children()
            && let Err(halt) = children.delete_helpers().await
        {
            tracing::warn!(outcome = ?halt.summary(), "helpers of a cleanup that was given up stay");
        }
        let same = |live: &Value| live.uid() == object.uid();
        match finalizer.writer.remove(object.head(), RemovalGuard::Anyhow, same).await {
            Ok(FinalizerOutcome::Changed(answer)) => {
                let is_last = is_removed(&answer);
                let object = self.wrote(&answer, "");
                self.told_of_finalizer(finalizer, &object);
                if is_last {
                    // The server deletes an object with its last finalizer, under the version that it had before.
                    self.services.primary.record_delete(self.pass.key(), object.uid());
                }
                Ok(())
            }
            Ok(FinalizerOutcome::Overtaken(error)) => Err(overtaken(error).into()),
            Ok(_) => Ok(()),
            Err(error) => {
                self.failed_to_update_finalizers(&error);
                Err(Failure::unclassified(error).into())
            }
        }
    }

    /// Decides about the finalizer after `finalize`.
    pub(super) fn after_cleanup(&self, finalizer: &ControllerFinalizer, object: &PassObject, outcome: &Flow) -> Released {
        finalizer.give_up.after(&EndedCleanup {
            outcome,
            deleted: object.head().deletion_timestamp().and_then(|time| time.parse().ok()),
            is_forced: object.head().annotation(&finalizer.force) == Some(FORCED),
            now: self.services.cluster.clock().now(),
        })
    }

    fn told_of_finalizer(&self, finalizer: &ControllerFinalizer, object: &PassObject) {
        *self.has_told.lock() = true;
        let name = object.head().name();
        let note = if finalizer.writer.applies() {
            format!("Updated finalizers for {name:?} via server-side apply")
        } else {
            format!("Updated {name:?} finalizers")
        };
        self.record(Event::normal("FinalizerUpdate", note));
    }

    fn failed_to_update_finalizers(&self, error: &ApiError) {
        if !error.is_conflict() && !self.pass.is_void() {
            let note = format!("Failed to update finalizers for {:?}: {error}", self.pass.key().name());
            self.record(Event::warning("FinalizerUpdateFailed", note));
        }
    }
}

/// Returns the failure of a write for which other writers were faster at each attempt (FZ-6).
fn overtaken(error: ApiError) -> Failure {
    Failure::unclassified(Classified::conflict(error)).origin(Origin::Transient)
}

impl fmt::Debug for PassScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassScope")
            .field("controller", &self.services.controller)
            .field("key", self.pass.key())
            .finish_non_exhaustive()
    }
}
