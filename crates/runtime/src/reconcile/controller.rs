use std::fmt;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kube::Resource as _;
use kubewright_core::backoff::{PersistedBackoff, RateLimiter};
use kubewright_core::class::{ClassFilter, HandOver};
use kubewright_core::condition::{ConditionEvents, ConditionPolicy};
use kubewright_core::filter::Filter;
use kubewright_core::finalizer::{FinalizerName, FinalizerWrite, GiveUp};
use kubewright_core::flow::{Class, Delay};
use kubewright_core::queue::Drain;
use kubewright_core::status::StatusWrite;
use kubewright_machinery::object::GroupKind;
use serde_json::Value;

use super::methods::Further;
use super::options::{ControllerOptions, FinalizerCare, Turn};
use super::pipeline::{Layers, PassLayer, PipelineStage};
use super::registration::ReconcilerRegistration;
use super::{Conclude, Finalize, Lead, Observe, ObserveDeleted, Reconcile, TriggerSet};
use crate::ensure::ChildMarks;
use crate::inject::Construct;
use crate::kind::{Defaulted, KnownKind};
use crate::operator::{Operator, Rule};
use crate::store::Kept;

/// A hand-written controller: the constructor of its reconciler, and its options.
///
/// `#[reconciler]` makes it from a type; by hand it is built with [`Controller::new`].
#[must_use = "add it to an operator with `.controller(…)`"]
pub struct Controller<R: Reconcile> {
    pub(super) constructor: Box<dyn Construct<R>>,
    pub(super) further: Further<R>,
    pub(super) options: ControllerOptions,
    pub(super) triggers: TriggerSet<R::Kind>,
    pub(super) resync_filter: Option<fn(&R::Kind) -> bool>,
    /// The filter of changes of the primary kind; None for the default one.
    pub(super) own_filter: Option<OwnFilter<R::Kind>>,
}

/// A filter of the changes of objects of the primary kind that start passes.
pub(super) type OwnFilter<K> = Box<dyn Filter<Kept<K>> + Send + Sync>;

impl<R: Reconcile> Controller<R> {
    /// Creates a controller whose reconciler this function makes. The function is sync or async, has up to 12 arguments that are injected, and returns a
    /// reconciler or a `Result` of one. The name of the controller is the kind in lower case.
    pub fn new<M>(constructor: impl crate::inject::Constructor<R, M>) -> Self {
        Self::of(constructor.boxed())
    }

    /// Creates a controller whose reconciler is made by a constructor with erased argument types: for crates that wrap reconcilers of others.
    pub fn of(constructor: Box<dyn Construct<R>>) -> Self {
        Self {
            constructor,
            further: Further::none(),
            options: ControllerOptions::named(R::Kind::kind(&()).to_ascii_lowercase()),
            triggers: TriggerSet::new(),
            resync_filter: None,
            own_filter: None,
        }
    }

    /// Sets the name: a DNS subdomain, unique in the operator. It names queue, metrics and, with `-controller`, the reporter of events.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = name.into();
        self.options.is_named = true;
        self
    }

    /// Sets the reporter of events. Default: the name with `-controller`.
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.options.agent = Some(agent.into());
        self
    }

    /// Calls [`Finalize::finalize`] for objects that are being deleted, and manages a finalizer with this name, `domain/name`; by default
    /// `<group>/<operator>-<kind in lower case>`.
    pub fn finalizer(mut self, name: Option<&str>) -> Self
    where
        R: Finalize,
    {
        self.further.finalize();
        self.options.finalizer = name.map(str::to_owned);
        self
    }

    /// Sets former names of the finalizer: an entry with one of them counts as this finalizer, and is cleared with it (FZ-8).
    pub fn legacy_finalizers<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.legacy_finalizers = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the finalizer from a name that was made before. It may have no domain, which formats that must not change can require.
    pub fn finalizer_named(mut self, name: FinalizerName) -> Self
    where
        R: Finalize,
    {
        self.further.finalize();
        self.options.finalizer = Some(name.as_str().to_owned());
        self.options.finalizer_name = Some(name);
        self
    }

    /// Sets the finalizer only when the reconciler calls [`Context::hold`](super::Context::hold) (FNL-2).
    pub fn finalizer_on_demand(mut self) -> Self {
        self.options.finalizer_care = FinalizerCare::OnDemand;
        self
    }

    /// Leaves setting and clearing the finalizer to the reconciler, which calls [`Context::hold`](super::Context::hold) and
    /// [`Context::release`](super::Context::release): for cleanups that the outcome of `finalize` does not fully describe. The options about giving up do not
    /// apply to it.
    pub fn finalizer_by_hand(mut self) -> Self {
        self.options.finalizer_care = FinalizerCare::ByHand;
        self
    }

    /// Removes the finalizer after the first unsuccessful `finalize` that ends this long after the deletion, with a Warning event `FinalizerAbandoned`. By
    /// default `finalize` is retried for ever. Regardless of this option, a user can force the removal by the annotation `<operator>/force-finalize=true`
    /// (FZ-12, FZ-13).
    pub fn abandon_after(mut self, limit: Delay) -> Self {
        self.options.give_up = GiveUp::After(limit);
        self
    }

    /// Calls [`Conclude::conclude`] with the outcome of every pass, before the status is written.
    pub fn conclude(mut self) -> Self
    where
        R: Conclude,
    {
        self.further.conclude();
        self
    }

    /// Calls [`Observe::observe`] on replicas that do not lead the key.
    pub fn observe(mut self) -> Self
    where
        R: Observe,
    {
        self.further.observe();
        self
    }

    /// Calls [`ObserveDeleted::observe_deleted`] for keys whose objects are deleted.
    pub fn observe_deleted(mut self) -> Self
    where
        R: ObserveDeleted,
    {
        self.further.observe_deleted();
        self
    }

    /// Calls [`Lead::on_promoted`] and [`Lead::on_demoted`] when this replica begins or ceases to lead a bucket.
    pub fn lead(mut self) -> Self
    where
        R: Lead,
    {
        self.further.lead();
        self
    }

    /// Calls [`Defaulted::default_fields`] on the copy of the object that `reconcile` and `finalize` receive. The defaults are not stored (STAGE-9).
    pub fn defaults(mut self) -> Self
    where
        R::Kind: Defaulted,
    {
        self.further.defaults();
        self
    }

    /// Sets the number of concurrent passes; 2 by default. `--workers` takes precedence.
    pub fn workers(mut self, workers: usize) -> Self {
        self.options.workers = Some(workers);
        self
    }

    /// Sets how the controller ends. By default running passes end by themselves and queued keys are dropped (SHT-3).
    pub fn drain(mut self, drain: Drain) -> Self {
        self.options.drain = drain;
        self
    }

    /// Sets the time limit of a method; by default there is none. A method that takes longer is dropped, and has failed with reason `Timeout` (RUN-8).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.time_limit = Some(limit);
        self
    }

    /// Sets the period after which all objects are reconciled again; `--resync` by default (RUN-7).
    pub fn resync(mut self, period: Duration) -> Self {
        self.options.resync = Some(period);
        self
    }

    /// Starts a pass even if another writer changed only the status (TRF-3).
    pub fn on_status_change(mut self) -> Self {
        self.options.on_status_change = true;
        self
    }

    /// Starts passes only for the changes of an object itself that pass this filter, which replaces the default one (TRF-3) and
    /// [`on_status_change`](Self::on_status_change). The filter does not apply to timers and to changes of other objects.
    pub fn triggered_by(mut self, filter: impl Filter<Kept<R::Kind>> + Send + Sync + 'static) -> Self {
        self.own_filter = Some(Box::new(filter));
        self
    }

    /// Ignores objects that have this annotation with this value: no method is called, and no request of any kind is sent, whatever starts the pass (EF-3).
    /// The filter of [`triggered_by`](Self::triggered_by) decides which change ends that.
    pub fn ignore(mut self, annotation: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.ignored = Some((annotation.into(), value.into()));
        self
    }

    /// Starts a pass for an object of the primary kind when an object of this kind changes that it controls (MAP-2).
    pub fn owns<D: KnownKind>(mut self) -> Self {
        drop(self.triggers.owned::<D>());
        self
    }

    /// Declares that objects of a kind are children of objects of the primary kind: passes read, create, change and delete them with
    /// [`Context::ensure`](super::Context::ensure) and [`Context::delete`](super::Context::delete). This declares the permissions for that, but starts no
    /// watch, which [`owns`](Self::owns) does.
    pub fn creates<D: KnownKind>(mut self) -> Self {
        let verbs = ["create", "delete", "get", "patch"];
        self.options.permissions.push(Rule::new(D::group(&()), D::plural(&()), &verbs));
        self
    }

    /// Adds labels to all children; a child's own labels take precedence (KID-1).
    pub fn child_labels<N: Into<String>, V: Into<String>>(mut self, labels: impl IntoIterator<Item = (N, V)>) -> Self {
        self.options.children.common.labels.extend(labels.into_iter().map(|(key, value)| (key.into(), value.into())));
        self
    }

    /// Adds annotations to all children; a child's own annotations take precedence (KID-1).
    pub fn child_annotations<N: Into<String>, V: Into<String>>(mut self, annotations: impl IntoIterator<Item = (N, V)>) -> Self {
        let annotations = annotations.into_iter().map(|(key, value)| (key.into(), value.into()));
        self.options.children.common.annotations.extend(annotations);
        self
    }

    /// Sets the keys by which children are marked. Default: those of the domain that is the name of the operator.
    pub fn child_marks(mut self, marks: ChildMarks) -> Self {
        self.options.children.marks = Some(marks);
        self
    }

    /// Rejects writing objects of these kinds as children; `why` is the end of the error.
    #[doc(hidden)]
    pub fn refuses_children(mut self, kinds: impl IntoIterator<Item = GroupKind>, why: impl Into<String>) -> Self {
        self.options.children.refused.kinds.extend(kinds);
        self.options.children.refused.why = why.into();
        self
    }

    /// Declares the objects of other kinds whose changes start passes.
    pub fn watches(mut self, declare: impl FnOnce(&mut TriggerSet<R::Kind>)) -> Self {
        declare(&mut self.triggers);
        self
    }

    /// Limits the controller to objects of a class: the first of these annotations that an object has decides (CLS-1).
    pub fn class(mut self, keys: &[&str], value: impl Into<String>) -> Self {
        let Some((first, others)) = keys.split_first() else { return self };
        let class = ClassFilter::new(*first, value);
        self.options.class = Some(others.iter().fold(class, |class, key| class.or_key(*key)));
        self
    }

    /// Sets the treatment of an object of another class that has the controller's finalizer. By default it is finalized as if it were being deleted (CLS-3).
    pub fn hand_over(mut self, hand_over: HandOver) -> Self {
        self.options.class = self.options.class.map(|class| class.hand_over(hand_over));
        self
    }

    /// Limits resyncs, and the passes after changes of configuration, to the objects that this function selects.
    pub fn resync_filter(mut self, filter: fn(&R::Kind) -> bool) -> Self {
        self.resync_filter = Some(filter);
        self
    }

    /// Starts a pass this long after the first change of an object; later changes join the first one (QUE-10).
    pub fn debounce(mut self, delay: Delay) -> Self {
        self.options.debounce = Some(delay);
        self
    }

    /// Takes a key from a lower lane after this number of keys from higher ones in a row; 16 by default, never with None (QUE-6).
    pub fn fairness(mut self, turn: Option<NonZero<u32>>) -> Self {
        self.options.fairness = turn.map_or(Turn::Never, Turn::After);
        self
    }

    /// Sets the limit on retries (LIM-2).
    pub fn limiter(mut self, limiter: impl RateLimiter + Sync + 'static) -> Self {
        self.options.limiter = Some(Box::new(limiter));
        self
    }

    /// Stores the delay of failures with back-off in `status.requeueTime`, an integer in nanoseconds, so that it survives restarts (BO-9 to BO-14). The
    /// reconciler must have a status, and the schema of the status must have the field. By default the back-off is kept in memory.
    pub fn persisted_backoff(mut self, policy: PersistedBackoff) -> Self {
        self.options.persisted = Some(policy);
        self
    }

    /// Sets the class of failures whose error is not recognised, instead of that of the operator's
    /// [`Timing`](kubewright_core::backoff::Timing::unclassified): `Class::Terminal` if an error that the author did not classify must not be retried
    /// (ERR-9).
    pub fn unclassified(mut self, class: Class) -> Self {
        self.options.unclassified = Some(class);
        self
    }

    /// Sets the form of conditions, instead of that of the operator.
    pub fn conditions(mut self, policy: ConditionPolicy) -> Self {
        self.options.policy = Some(policy);
        self
    }

    /// Records events of type Normal about conditions that a pass changed; never by default (CND-8).
    pub fn condition_events(mut self, events: ConditionEvents) -> Self {
        self.options.condition_events = events;
        self
    }

    /// Sets the form of status writes, instead of that of the operator (STW-4).
    pub fn status_write(mut self, form: StatusWrite) -> Self {
        self.options.status_write = Some(form);
        self
    }

    /// Sets the form of finalizer writes, instead of that of the operator (FNL-8, FNL-9).
    pub fn finalizer_write(mut self, form: FinalizerWrite) -> Self {
        self.options.finalizer_write = Some(form);
        self
    }

    /// Puts a layer directly inside a stage of the passes of this controller. The operator's layers, and those that this stage already has, are outside of it
    /// (OPR-7).
    pub fn layer(mut self, stage: PipelineStage, layer: impl PassLayer) -> Self {
        self.options.layers.add(stage, layer);
        self
    }

    /// Puts the reconciler into this slot when it is constructed, for table tests.
    #[doc(hidden)]
    pub fn keep_in(mut self, slot: Arc<OnceLock<Arc<R>>>) -> Self {
        self.further.keep_in(slot);
        self
    }

    /// Sets the CRD of the kind, which the command `crds` prints and which `dev` and tests install.
    pub fn crd(mut self, crd: Option<Value>) -> Self {
        self.options.crd = crd;
        self
    }

    /// Declares a permission that passes need for their own requests, such as those of `cx.client()`: these verbs on the resources of a group in the plural,
    /// with the subresource if the permission is for one (`pods/exec`). The commands `rbac` and `deploy` print it, and a start without it fails with a
    /// message that names it. The permissions of stores, triggers, status, finalizers and events are known without it. Call this method once for each
    /// resource.
    pub fn permissions(mut self, group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        self.options.permissions.push(Rule::new(group, resource, verbs));
        self
    }
}

impl<R: Reconcile> fmt::Debug for Controller<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("options", &self.options).finish_non_exhaustive()
    }
}

/// A reconciler whose options are known from its type: `#[reconciler]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler",
    note = "put `#[reconciler(kind = …)]` on its impl block, or add `Controller::new(constructor)` to the operator"
)]
pub trait Registered: Reconcile {
    /// Adds the options with which the type was declared.
    fn configure(controller: Controller<Self>) -> Controller<Self>;
}

/// Adds controllers to an operator.
pub trait ControllerExt: Into<Operator> + Sized {
    /// Adds the controller of a reconciler, which this constructor makes. Options that `#[reconciler]` does not set can be set on the returned builder.
    fn controller<R: Registered, M>(self, constructor: impl crate::inject::Constructor<R, M>) -> OperatorController<R> {
        OperatorController { operator: self.into(), controller: R::configure(Controller::new(constructor)) }
    }

    /// Adds a controller that was built by hand.
    fn add_controller<R: Reconcile>(self, controller: Controller<R>) -> Operator {
        self.into().register(Box::new(ReconcilerRegistration::new(controller)))
    }
}

impl<T: Into<Operator>> ControllerExt for T {}

/// An operator with a controller whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorController<R: Reconcile> {
    operator: Operator,
    controller: Controller<R>,
}

impl<R: Reconcile> OperatorController<R> {
    /// Changes an option of the controller.
    pub fn with(mut self, change: impl FnOnce(Controller<R>) -> Controller<R>) -> Self {
        self.controller = change(self.controller);
        self
    }

    /// Sets the name; see [`Controller::named`].
    pub fn named(self, name: impl Into<String>) -> Self {
        self.with(|controller| controller.named(name))
    }

    /// Declares a permission; see [`Controller::permissions`].
    pub fn permissions(self, group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        self.with(|controller| controller.permissions(group, resource, verbs))
    }

    /// Sets the number of concurrent passes; see [`Controller::workers`].
    pub fn workers(self, workers: usize) -> Self {
        self.with(|controller| controller.workers(workers))
    }

    /// Adds a layer; see [`Controller::layer`].
    pub fn layer(self, stage: PipelineStage, layer: impl PassLayer) -> Self {
        self.with(|controller| controller.layer(stage, layer))
    }
}

impl Operator {
    /// Puts a layer directly inside a stage of the passes of all hand-written controllers, including those that are added later. The layers that the stage
    /// already has are outside of it (OPR-7).
    #[must_use]
    pub fn layer(mut self, stage: PipelineStage, layer: impl PassLayer) -> Self {
        self.change_state(|layers: &mut Layers| layers.add(stage, layer));
        self
    }
}

impl<R: Reconcile> From<OperatorController<R>> for Operator {
    fn from(built: OperatorController<R>) -> Self {
        built.operator.add_controller(built.controller)
    }
}

impl<R: Reconcile> fmt::Debug for OperatorController<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorController").field("controller", &self.controller).finish_non_exhaustive()
    }
}
