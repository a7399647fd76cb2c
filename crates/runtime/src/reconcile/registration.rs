use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use kube::Resource as _;
use kubewright_core::class::ClassFilter;
use kubewright_core::filter::Change;
use kubewright_core::finalizer::{FinalizerName, InvalidFinalizerName};
use kubewright_core::flow::{BoxError, Conclusion, Delay, Prior};
use kubewright_core::status::StatusWrite;
use kubewright_machinery::object::Key;

use super::Reconcile;
use super::census::count_classes;
use super::controller::{Controller, OwnFilter};
use super::methods::TypedMethods;
use super::options::{ControllerOptions, Turn};
use super::pipeline::{self, Layers};
use super::primary::primary_filter;
use super::scope::{ControllerFinalizer, PassScope, Services};
use super::tracking::Tracker;
use super::triggers::OpenTrigger;
use crate::cluster::ApiResource;
use crate::controller::{LeaderTerm, PassContext, RunPass, Runner};
use crate::defaults::finalizer_name;
use crate::ensure::Children;
use crate::finalizer::FinalizerWriter;
use crate::kind::KnownKind;
use crate::operator::{Compat, ConstructedPart, ControllerQueue, Declarations, OperatorContext, Registration, Rule};
use crate::status::StatusWriter;
use crate::store::{Kept, Store};
use crate::trigger::StoreTrigger;

/// A controller as a part of an operator.
pub(super) struct ReconcilerRegistration<R: Reconcile> {
    controller: Controller<R>,
}

impl<R: Reconcile> ReconcilerRegistration<R> {
    pub(super) fn new(controller: Controller<R>) -> Self {
        Self { controller }
    }

    fn options(&self) -> &ControllerOptions {
        &self.controller.options
    }

    /// Claims the objects with their finalizer: two reconcilers of the same objects with one finalizer would each release objects before the other has
    /// finalized them.
    fn claim_objects(&self, finalizer: &FinalizerName, declarations: &mut Declarations) {
        let class = self.options().class.as_ref().map(|class| format!("{}={}, ", class.keys().join(" or "), class.value()));
        // The default name contains the name of the operator, which is unknown here.
        let finalizer = if self.options().finalizer.is_some() { finalizer.as_str() } else { "the default one" };
        let claimed = format!("{}, {}{finalizer}", R::Kind::gvk().group_kind(), class.unwrap_or_default());
        let part = format!("the controller {:?}", self.options().name);
        declarations.claim("kind, class and finalizer", &claimed, &part, "give one of them another `finalizer` or `class`");
    }

    /// Returns the form of status writes: that of the controller, else that of the operator.
    fn status_write(&self, formats: &Compat) -> StatusWrite {
        self.options().status_write.clone().unwrap_or_else(|| formats.status_write())
    }

    /// Returns the finalizer and its former names.
    fn finalizers(&self, operator: &str, formats: &Compat) -> Result<Vec<FinalizerName>, InvalidFinalizerName> {
        let own = match (&self.options().finalizer_name, &self.options().finalizer) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => FinalizerName::parse(name)?,
            (None, None) => {
                let (group, kind) = (R::Kind::group(&()), R::Kind::kind(&()));
                FinalizerName::parse(finalizer_name(&group, &kind, operator, formats.label_domain()))?
            }
        };
        let former = self.options().legacy_finalizers.iter().map(FinalizerName::unqualified);
        std::iter::once(Ok(own)).chain(former).collect()
    }
}

#[async_trait]
impl<R: Reconcile> Registration for ReconcilerRegistration<R> {
    fn name(&self) -> &str {
        &self.options().name
    }

    fn use_full_name(&mut self) {
        let group = R::Kind::group(&());
        if !self.options().is_named && !group.is_empty() {
            self.controller.options.name = format!("{}.{group}", R::Kind::kind(&())).to_ascii_lowercase();
        }
    }

    fn declare(&self, declarations: &mut Declarations) {
        if let Some(crd) = &self.options().crd {
            declarations.crd(crd.clone());
        }
        declarations.store(&Store::<R::Kind>::request());
        declarations.controller(R::Kind::gvk().group_kind());
        let (group, plural) = (R::Kind::group(&()), R::Kind::plural(&()));
        if self.controller.further.has_finalize() {
            declarations.rule(Rule::new(group.clone(), plural.clone(), &["patch"]));
            match self.finalizers("operator", declarations.formats()).as_deref() {
                Ok([own, ..]) => self.claim_objects(own, declarations),
                Ok([]) => {}
                Err(error) => {
                    declarations.problem(format!("the controller {:?}: {error}", self.options().name));
                }
            }
        }
        if std::any::TypeId::of::<R::Status>() != std::any::TypeId::of::<super::NoStatus>() {
            let verb = match self.status_write(declarations.formats()) {
                StatusWrite::Put => "update",
                _ => "patch",
            };
            declarations.rule(Rule::new(group, format!("{plural}/status"), &[verb]));
        }
        for trigger in self.controller.triggers.declared().filter(|trigger| !trigger.is_in_targets()) {
            trigger.declare(declarations);
        }
        self.controller.constructor.declare(declarations);
        for permission in &self.options().permissions {
            declarations.rule(permission.clone());
        }
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let names = self.finalizers(&context.operator, &context.formats)?;
        let status_write = self.status_write(&context.formats);
        let Controller { constructor, further, options, triggers, resync_filter, own_filter } = self.controller;
        let agent = options.agent.unwrap_or_else(|| format!("{}-controller", options.name));
        let context = context.for_controller(&options.name, &agent);
        let primary = Store::<R::Kind>::open(&context.cluster, &context.namespaces_of(&Store::<R::Kind>::request()));
        // Only a reconciler with `finalize` has a finalizer.
        let own: Arc<[FinalizerName]> = if further.has_finalize() { names.into() } else { Arc::default() };
        let reconciler = constructor.construct(&context).await?;
        let resource = Arc::new(ApiResource::known(&R::Kind::gvk(), R::Kind::plural(&()), R::Kind::is_namespaced()));
        let manager: Arc<str> = format!("{}/self", context.operator).into();
        let cluster = || context.cluster.clone();
        let finalizer = own.split_first().map(|(name, former)| ControllerFinalizer {
            writer: FinalizerWriter::new(cluster(), Arc::clone(&resource), Arc::clone(&manager), name.clone(), &context.timing)
                .former(former.iter().cloned())
                .form(options.finalizer_write.clone().unwrap_or_else(|| context.formats.finalizer_write())),
            names: Arc::clone(&own),
            care: options.finalizer_care,
            give_up: options.give_up,
            force: format!("{}/force-finalize", context.operator).into(),
        });
        let observes = further.observes();
        let services = Services {
            controller: options.name.as_str().into(),
            gvk: R::Kind::gvk(),
            kind: R::Kind::gvk().group_kind(),
            resource: Arc::clone(&resource),
            manager: Arc::clone(&manager),
            cluster: cluster(),
            recorder: context.recorder.clone(),
            primary: Arc::new(primary.kept().clone()),
            methods: Arc::new(TypedMethods::new(reconciler, further)),
            finalizer,
            statuses: StatusWriter::new(cluster(), resource, manager, &context.timing).form(status_write),
            targets: context.targets.clone(),
            children: Arc::new(Children::new(
                options.children,
                (&context.operator, &options.name),
                (cluster(), context.recorder.clone()),
                context.timing.clone(),
                context.metrics.clone(),
            )),
            tracker: Tracker::new(&options.name, context.tasks.clone(), cluster(), &context.metrics),
            class: options.class.clone(),
            ignored: options.ignored,
            policy: options.policy.unwrap_or_else(|| context.formats.conditions()),
            condition_events: options.condition_events,
            persisted: options.persisted,
            configs: context.configs.clone(),
            time_limit: options.time_limit,
            layers: context.state::<Layers>().unwrap_or_default().and(options.layers),
        };
        let known = KnownObjects { store: primary, class: options.class, own, filter: resync_filter };
        let resynced = known.clone();
        let passes = PassPipeline { services: Arc::new(services) };
        let name = options.name.clone();
        let mut runner = context.controller(options.name, Arc::new(passes)).drain(options.drain).observes(observes);
        let all_keys = move || {
            let mut keys = Vec::new();
            resynced.visit(&mut |key| keys.push(key.clone()));
            keys
        };
        runner = runner.keys(all_keys).resync(options.resync.or(context.resync));
        if let (Some(workers), None) = (options.workers, context.workers) {
            runner = runner.workers(workers);
        }
        if let Some(limiter) = options.limiter {
            runner = runner.limiter(limiter);
        }
        if let Some(class) = options.unclassified {
            runner = runner.unclassified(class);
        }
        runner = match options.fairness {
            Turn::Default => runner,
            Turn::Never => runner.fairness(None),
            Turn::After(keys) => runner.fairness(Some(keys)),
        };
        context.why.add(R::Kind::gvk().group_kind(), runner.history());
        let queued = known.clone();
        let queue = ControllerQueue { queue: runner.enqueue(), keys: Box::new(move |show| queued.visit(show)) };
        context.queues.add(&name, &R::Kind::gvk().group_kind(), queue);
        let (in_targets, triggers): (Vec<_>, Vec<_>) =
            triggers.into_triggers().into_iter().partition(|trigger| trigger.is_in_targets());
        context.targets.set_triggers(in_targets.into_iter().map(|trigger| trigger.into_in_targets(&context)).collect());
        let triggers = triggers.into_iter().map(|trigger| trigger.open(&context)).collect();
        let (on_status_change, debounce) = (options.on_status_change, options.debounce);
        let own_filter = own_filter.unwrap_or_else(|| Box::new(primary_filter(&known.own, on_status_change)));
        Ok(Box::new(ConstructedReconciler::<R> { runner, known, triggers, own_filter, debounce, context }))
    }
}

/// A constructed controller whose watches are started.
struct ConstructedReconciler<R: Reconcile> {
    runner: Runner,
    known: KnownObjects<R::Kind>,
    triggers: Vec<Box<dyn OpenTrigger>>,
    own_filter: OwnFilter<R::Kind>,
    debounce: Option<Delay>,
    context: OperatorContext,
}

#[async_trait]
impl<R: Reconcile> ConstructedPart for ConstructedReconciler<R> {
    async fn synced(&mut self) -> Result<(), BoxError> {
        let triggers = join_all(self.triggers.iter().map(|trigger| trigger.synced()));
        tokio::join!(self.known.store.synced(), self.context.opened.synced(), triggers);
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        let Self { runner, known, triggers, own_filter, debounce, context } = *self;
        let store = known.store.kept().clone();
        if let Some(class) = &known.class {
            count_classes(runner.name(), class.clone(), store.clone(), &context);
        }
        // Objects of other classes are not queued, unless they must be handed over (CLS-2).
        let concerns = move |change: &Change<Kept<R::Kind>>| {
            own_filter.passes(change) && change.latest().is_some_and(|object| known.is_of_class(object))
        };
        let trigger = StoreTrigger::of_objects(store).forgetting().filter(concerns);
        let trigger = match debounce {
            Some(delay) => trigger.debounce(delay),
            None => trigger,
        };
        drop(trigger.described().start(format!("objects of {}", runner.name()), runner.enqueue(), &context.tasks));
        for trigger in triggers {
            trigger.start(runner.name(), runner.enqueue(), &context.tasks);
        }
        vec![runner]
    }
}

/// The objects of a controller in its store.
struct KnownObjects<K: Send + Sync + 'static> {
    store: Store<K>,
    class: Option<ClassFilter>,
    /// The names of the controller's finalizer; empty without one.
    own: Arc<[FinalizerName]>,
    filter: Option<fn(&K) -> bool>,
}

impl<K: KnownKind> KnownObjects<K> {
    fn is_of_class(&self, object: &Kept<K>) -> bool {
        self.class.as_ref().is_none_or(|class| class.concerns(object, &self.own))
    }

    /// Passes the keys of the objects to which resyncs and changes of configuration apply to a callback.
    fn visit(&self, show: &mut dyn FnMut(&Key)) {
        let passes = |object: &Kept<K>| self.filter.is_none_or(|filter| object.decode().is_some_and(|object| filter(&object)));
        self.store.kept().visit(|key, object| {
            if self.is_of_class(object) && passes(object) {
                show(key);
            }
        });
    }
}

impl<K: Send + Sync + 'static> Clone for KnownObjects<K> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), class: self.class.clone(), own: Arc::clone(&self.own), filter: self.filter }
    }
}

/// The pipeline, run as the passes of a runner.
struct PassPipeline {
    services: Arc<Services>,
}

#[async_trait]
impl RunPass for PassPipeline {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        let scope = Arc::new(PassScope::new(Arc::clone(pass), Arc::clone(&self.services)));
        let end = pipeline::run(scope).await;
        end.conclusion.unwrap_or_else(|| match pass.report(&end.outcome, &Prior::Memory) {
            Some(report) => pass.conclude(&end.outcome, report),
            None => Conclusion::cancelled(),
        })
    }

    async fn promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        self.services.methods.promoted(term).await
    }

    async fn demoted(
        &self,
        term: &LeaderTerm,
        is_lost: &(dyn for<'k> Fn(&'k Key) -> bool + Send + Sync),
    ) -> Result<(), BoxError> {
        let keys = self.services.primary.keys();
        keys.iter().filter(|key| is_lost(key)).for_each(|key| self.services.forget(key));
        self.services.methods.demoted(term).await
    }
}
