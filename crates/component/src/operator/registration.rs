use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::dependents::ProjectionContext;
use kubewright_core::flow::BoxError;
use kubewright_core::manifest::OperatorName;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_render::ErasedGenerator;
use kubewright_runtime::cluster::{ApiRequest, ApiResource, Cluster, ConnectError, Retry};
use kubewright_runtime::controller::{Controller, Enqueue, Key, Surroundings};
use kubewright_runtime::operator::{Declarations, OperatorContext, Registration, Rule};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::{Cause, Store};

use super::Options;
use super::builder::Extensions;
use super::outdated::missing_fields;
use crate::events::Events;
use crate::hooks::Hooks;
use crate::kind::{Component, TypedKind, custom_resource_definition};
use crate::metrics::{Metrics, register};
use crate::observe::{Compact, Components, Notify};
use crate::reconciler::{ComponentReconciler, Memories, Shared, Strays, triggers};
use crate::record::StatusWriter;
use crate::references::ReferenceWatches;
use crate::targets::{TargetFactory, Targets};

/// What the engine does with dependents.
const DEPENDENT_VERBS: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];

/// A component type as a part of an operator.
pub(super) struct ComponentRegistration<C: Component> {
    name: String,
    operator: String,
    generator: Arc<dyn ErasedGenerator<C>>,
    hooks: Hooks<C>,
    options: Options,
    extensions: Extensions,
}

impl<C: Component> ComponentRegistration<C> {
    pub(super) fn new(
        operator: &str,
        generator: Arc<dyn ErasedGenerator<C>>,
        hooks: Hooks<C>,
        options: Options,
        extensions: Extensions,
    ) -> Self {
        Self { name: C::kind(&()).to_lowercase(), operator: operator.to_owned(), generator, hooks, options, extensions }
    }

    fn gvk() -> GroupVersionKind {
        GroupVersionKind::new(C::group(&()), C::version(&()), C::kind(&()))
    }
}

#[async_trait]
impl<C: Component> Registration for ComponentRegistration<C> {
    fn name(&self) -> &str {
        &self.name
    }

    fn declare(&self, declarations: &mut Declarations) {
        match custom_resource_definition::<C>() {
            Ok(crd) => declarations.crd(crd),
            Err(error) => declarations.problem(format!("make the CRD of {}: {error}", C::kind(&()))),
        };
        if let Err(error) = OperatorName::new(&self.operator) {
            declarations.problem(error.to_string());
        }
        if let Err(error) = self.options.defaults().check() {
            declarations.problem(format!("component {}: {error}", C::kind(&())));
        }
        if let Err(error) = self.generator.check_erased() {
            declarations.problem(format!("generator of {}: {error}", C::kind(&())));
        }
        let (group, plural) = (C::group(&()), C::plural(&()));
        declarations.kind(Self::gvk());
        declarations.rule(Rule::new(group.clone(), plural.clone(), &["get", "list", "watch", "patch"]));
        declarations.rule(Rule::new(group, format!("{plural}/status"), &["patch"]));
        for (group, plural) in &self.options.dependent_types {
            declarations.rule(Rule::new(group.clone(), plural.clone(), DEPENDENT_VERBS));
        }
        if self.options.dependent_types.is_empty() {
            declarations.remark(format!(
                "the operator does not say which types of dependents {} has, so no role holds permissions for them: name them with \
                 `dependent_types`, or grant them yourself",
                C::kind(&())
            ));
        }
        for kind in C::reference_kinds() {
            declarations.rule(Rule::new("", kind.plural(), &["get", "list", "watch"]));
        }
        if self.options.default_service_account.is_some() {
            declarations.rule(Rule::new("", "serviceaccounts", &["impersonate"]));
        }
        for resource in C::impersonates() {
            declarations.optional_rule(Rule::new("", *resource, &["impersonate"]));
        }
        for foreign in &self.extensions.foreign {
            declarations.rule(Rule::new(foreign.group(), foreign.plural.clone(), &["get", "list", "watch"]));
        }
        declarations.rule(Rule::new("", "namespaces", &["get", "list", "watch", "create"]));
        declarations.rule(Rule::new("apiextensions.k8s.io", "customresourcedefinitions", &["get", "list", "watch"]));
    }

    async fn start(self: Box<Self>, context: OperatorContext) -> Result<Vec<Controller>, BoxError> {
        let cluster = context.cluster.clone();
        let operator = OperatorName::new(&self.operator)?;
        let resource = cluster.discovery().require(&Self::gvk()).await?;
        let cluster_id = cluster_id(&cluster).await?;
        let field_manager: Arc<str> = self.options.field_manager.as_deref().unwrap_or(&self.operator).into();
        let projection = Arc::new(ProjectionContext {
            operator: operator.clone(),
            field_manager: field_manager.to_string(),
            reclaimed_managers: self.options.reclaimed_managers.clone(),
            kind_rules: self.extensions.readiness,
        });
        let namespaces: &[String] = if resource.namespaced { &context.watch_namespaces } else { &[] };
        let components = Components::watch(&cluster, &Self::gvk(), namespaces);
        components.synced().await;

        // The reconciler is told of events by the controller's queue, and the controller is made of the reconciler.
        let queue = self.extensions.queue;
        let notify: Notify = {
            let queue = Arc::clone(&queue);
            Arc::new(move |key: &Key| {
                if let Some(queue) = queue.get() {
                    queue.now(key.clone());
                }
            })
        };
        let self_manager: Arc<str> = format!("{field_manager}/self").into();
        let kind =
            TypedKind::new(Arc::from(self.operator.as_str()), cluster.clone(), Arc::clone(&self.generator), Arc::new(self.hooks));
        if self.options.default_service_account.is_some() && cluster.acts_as_another() {
            return Err(ConnectError::ActsAsAnother { cluster: cluster.name().to_owned() }.into());
        }
        let targets = Targets::new(TargetFactory {
            operator: self.operator.clone(),
            cluster: cluster.clone(),
            tasks: context.tasks.clone(),
            projection: Arc::clone(&projection),
            notify: Arc::clone(&notify),
            recorder: context.recorder.reporter(&self.operator),
            field_manager,
            parallel: self.options.parallel_requests,
            allow_exec: self.options.allow_exec_credentials,
        });
        let others = targets.clone();
        context.checks.note(format!("targets of {}", self.name), move || {
            let problems = others.problems();
            if problems.is_empty() { Ok(()) } else { Err(problems.join(", ")) }
        })?;
        let metrics = Metrics::new(context.metrics.shared(register), self.name.as_str().into(), Self::gvk().group_kind());
        metrics.watch_clusters(targets.statistics());
        context.checks.note(format!("polled types of {}", self.name), metrics.polling_probe())?;
        let outdated = match custom_resource_definition::<C>() {
            Ok(generated) => missing_fields(&cluster, &generated, &C::version(&())).await,
            Err(_) => None,
        };
        metrics.crd_is_outdated(outdated.is_some());
        if let Some(outdated) = outdated {
            tracing::warn!("{outdated}");
            context.checks.note(format!("crd of {}", self.name), move || Err(outdated.clone()))?;
        }
        let shared = Arc::new(Shared {
            kind: Box::new(kind),
            finalizer: self.options.finalizer.clone().unwrap_or_else(|| self.operator.clone()),
            writer: StatusWriter::new(cluster.clone(), (*resource).clone(), Arc::clone(&self_manager)),
            self_manager,
            resource,
            cluster_id,
            components: components.clone(),
            targets: targets.clone(),
            references: ReferenceWatches::new(cluster.clone(), context.tasks.clone(), notify),
            projection,
            defaults: self.options.defaults(),
            events: Events::new(context.recorder.reporter(&self.operator), &operator, self.options.dependent_events),
            metrics,
            memories: Memories::default(),
            strays: Strays::default(),
            operator,
            started: cluster.clock().now(),
            cluster,
        });
        let surroundings = Surroundings {
            clock: context.clock.clone(),
            random: context.random.clone(),
            tasks: context.tasks.clone(),
            metrics: context.metrics.clone(),
            timing: context.timing.clone(),
        };
        let passes = context.workers.unwrap_or(self.options.parallel_passes);
        let known = components.clone();
        let controller = Controller::new(self.name.clone(), Arc::new(ComponentReconciler::new(shared)), surroundings)
            .workers(passes)
            .resync(context.resync, move || known.keys());
        // Set once, here.
        drop(queue.set(controller.enqueue()));
        for foreign in self.extensions.foreign {
            foreign.start(&context.cluster, &context.watch_namespaces, &controller.enqueue(), &context.tasks).await;
        }
        for store in components.stores() {
            follow(store, controller.enqueue(), &context.tasks, &self.name);
        }
        Ok(vec![controller])
    }
}

/// Queues components when they come, change or go.
fn follow(components: &Store<Compact>, queue: Enqueue, tasks: &Tasks, name: &str) {
    let mut changes = components.changes();
    let stopping = tasks.stopping();
    let follow = async move {
        loop {
            let change = tokio::select! {
                () = stopping.cancelled() => return,
                change = changes.next() => change,
            };
            let Some(change) = change else { return };
            if triggers(&change) {
                let key = Key::new(change.key.namespace(), change.key.name());
                if change.cause == Cause::Initial {
                    queue.slow(key);
                } else {
                    queue.now(key);
                }
            }
        }
    };
    tasks.spawn(format!("components {name}"), follow).detach();
}

/// The UID of the namespace `kube-system` stands for the cluster (OPT-1).
async fn cluster_id(cluster: &Cluster) -> Result<String, BoxError> {
    let namespaces = ApiResource::known(&GroupVersionKind::new("", "v1", "Namespace"), "namespaces", false);
    let request = ApiRequest::get(&namespaces, "", "kube-system");
    let namespace = cluster.send_retrying(&request, &Retry::default()).await?;
    Ok(namespace.uid().to_owned())
}
