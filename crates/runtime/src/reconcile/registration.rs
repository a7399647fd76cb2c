use std::sync::Arc;

use async_trait::async_trait;
use kube::Resource as _;
use kubewright_core::finalizer::{FinalizerName, InvalidFinalizerName};
use kubewright_core::flow::{BoxError, Conclusion, Prior};
use tower::ServiceExt as _;

use super::Reconcile;
use super::controller::{Controller, ControllerOptions};
use super::methods::TypedMethods;
use super::pipeline::{PassRequest, PassService, pipeline};
use super::primary::primary_filter;
use super::scope::{OwnFinalizer, PassScope, Services};
use crate::cluster::ApiResource;
use crate::controller::{PassContext, RunPass, Runner};
use crate::finalizer::FinalizerWriter;
use crate::kind::KnownKind as _;
use crate::operator::{ConstructedPart, ControllerQueue, Declarations, OperatorContext, Registration, Rule};
use crate::status::StatusWriter;
use crate::store::Store;
use crate::task::Tasks;
use crate::trigger::Trigger;

/// The domain of finalizers of kinds of the core group, which has no name.
const LABEL_DOMAIN: &str = "kubewright.dev";

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

    /// The finalizer and its former names.
    fn finalizers(&self, operator: &str) -> Result<Vec<FinalizerName>, InvalidFinalizerName> {
        let own = match &self.options().finalizer {
            Some(name) => FinalizerName::parse(name)?,
            None => default_finalizer::<R>(operator)?,
        };
        let former = self.options().legacy_finalizers.iter().map(FinalizerName::unqualified);
        std::iter::once(Ok(own)).chain(former).collect()
    }
}

/// `<group>/<operator>-<kind in lower case>`.
fn default_finalizer<R: Reconcile>(operator: &str) -> Result<FinalizerName, InvalidFinalizerName> {
    let group = R::Kind::group(&());
    let domain = if group.is_empty() { LABEL_DOMAIN } else { &*group };
    let kind = R::Kind::kind(&()).to_ascii_lowercase();
    FinalizerName::parse(format!("{domain}/{operator}-{kind}"))
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
            if let Err(error) = self.finalizers("operator") {
                declarations.problem(format!("the controller {:?}: {error}", self.options().name));
            }
        }
        if std::any::TypeId::of::<R::Status>() != std::any::TypeId::of::<super::NoStatus>() {
            declarations.rule(Rule::new(group, format!("{plural}/status"), &["patch"]));
        }
        self.controller.constructor.declare(declarations);
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let finalizers = self.finalizers(&context.operator)?;
        let Controller { constructor, further, options } = self.controller;
        let agent = options.agent.unwrap_or_else(|| format!("{}-controller", options.name));
        let context = context.for_controller(&options.name, &agent);
        let gvk = R::Kind::gvk();
        let resource = Arc::new(ApiResource::known(&gvk, R::Kind::plural(&()), R::Kind::is_namespaced()));
        let primary = Store::<R::Kind>::open(&context);
        let has_finalizer = further.has_finalize();
        let own_names = finalizers.clone();
        let reconciler = constructor.construct(&context).await?;
        let manager: Arc<str> = format!("{}/self", context.operator).into();
        let writer = |mut names: Vec<FinalizerName>| {
            let own = names.remove(0);
            FinalizerWriter::new(context.cluster.clone(), Arc::clone(&resource), Arc::clone(&manager), own, &context.timing)
                .former(names)
        };
        let finalizer = has_finalizer.then(|| OwnFinalizer {
            writer: writer(finalizers.clone()),
            names: finalizers,
            on_demand: options.on_demand,
        });
        let services = Services {
            controller: options.name.as_str().into(),
            gvk: gvk.clone(),
            cluster: context.cluster.clone(),
            recorder: context.recorder.clone(),
            primary: Arc::new(primary.kept().clone()),
            methods: Arc::new(TypedMethods::new(reconciler, further)),
            finalizer,
            statuses: StatusWriter::new(context.cluster.clone(), resource, manager, &context.timing),
            policy: options.policy,
            time_limit: options.time_limit,
        };
        let passes = Pipeline { services: Arc::new(services), stages: pipeline() };
        let known = primary.clone();
        let runner = context.controller(options.name.clone(), Arc::new(passes));
        let runner = match options.workers {
            Some(workers) if context.workers.is_none() => runner.workers(workers),
            _ => runner,
        };
        let runner = runner.drain(options.drain).resync(options.resync.or(context.resync), move || known.keys());
        let known = primary.clone();
        let queue = ControllerQueue { queue: runner.enqueue(), keys: Box::new(move || known.keys()) };
        // Set once: controllers have one kind each.
        drop(context.queues.slot(&gvk.group_kind()).set(queue));
        let own = if has_finalizer { own_names } else { Vec::new() };
        let (tasks, on_status_change) = (context.tasks, options.on_status_change);
        Ok(Box::new(ConstructedReconciler::<R> { runner, primary, own, on_status_change, tasks }))
    }
}

/// A controller whose watches are started.
struct ConstructedReconciler<R: Reconcile> {
    runner: Runner,
    primary: Store<R::Kind>,
    /// The names of our finalizer.
    own: Vec<FinalizerName>,
    on_status_change: bool,
    tasks: Tasks,
}

#[async_trait]
impl<R: Reconcile> ConstructedPart for ConstructedReconciler<R> {
    async fn synced(&mut self) -> Result<(), BoxError> {
        self.primary.synced().await;
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        let name = format!("objects of {}", self.runner.name());
        Trigger::of_objects(self.primary.kept().clone()).filter(primary_filter(&self.own, self.on_status_change)).start(
            name,
            self.runner.enqueue(),
            &self.tasks,
        );
        vec![self.runner]
    }
}

/// The pipeline as passes of a runner.
struct Pipeline {
    services: Arc<Services>,
    stages: PassService,
}

#[async_trait]
impl RunPass for Pipeline {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        let scope = Arc::new(PassScope::new(Arc::clone(pass), Arc::clone(&self.services)));
        match self.stages.clone().oneshot(PassRequest { scope, work: None }).await {
            Ok(end) => end.conclusion.unwrap_or_else(|| match pass.report(&end.outcome, &Prior::Memory) {
                Some(report) => pass.conclude(&end.outcome, report),
                None => Conclusion::cancelled(),
            }),
            Err(never) => match never {},
        }
    }
}
