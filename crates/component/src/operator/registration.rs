use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use kubewright_core::dependents::ProjectionContext;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::BoxError;
use kubewright_core::manifest::{MissingNamespacesPolicy, OperatorName};
use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{GroupVersionKind, Key, ObjectExt as _};
use kubewright_render::ErasedGenerator;
use kubewright_runtime::cluster::{ApiRequest, ApiResource, ConnectError, Retry};
use kubewright_runtime::controller::Runner;
use kubewright_runtime::finalizer::FinalizerWriter;
use kubewright_runtime::operator::{ConstructedPart, Declarations, OperatorContext, Registration, Rule};
use kubewright_runtime::status::StatusWriter;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::Trigger;
use kubewright_runtime::watch::Change;

use super::Options;
use super::builder::Extensions;
use super::foreign::ForeignStore;
use super::outdated::missing_fields;
use crate::events::Events;
use crate::hooks::Hooks;
use crate::kind::{Component, TypedKind, custom_resource_definition};
use crate::lookups::Lookups;
use crate::metrics::{Metrics, register};
use crate::observe::{Compact, Components, Notify};
use crate::reconciler::{ComponentReconciler, Memories, Shared, Strays, stand_by};
use crate::references::ReferenceWatches;
use crate::targets::{TargetFactory, Targets};

/// What the engine does with dependents.
const DEPENDENT_VERBS: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];
/// What it does with objects that it only looks at.
const READ_VERBS: &[&str] = &["get", "list", "watch"];
const RBAC: &str = "rbac.authorization.k8s.io";

/// The longest name of a component type, in bytes: events name it as the reporting controller.
const MAX_NAME: usize = 63;

/// A component type as a part of an operator.
pub(super) struct ComponentRegistration<C: Component> {
    /// The name of the controller, in metrics and logs.
    controller: String,
    /// The name of the component type: the prefix of its marks (OPT-1a).
    prefix: String,
    /// The name of the operator.
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
        let prefix = options.name.clone().unwrap_or_else(|| operator.to_owned());
        let controller = C::kind(&()).to_lowercase();
        Self { controller, prefix, operator: operator.to_owned(), generator, hooks, options, extensions }
    }

    fn finalizer(&self) -> &str {
        self.options.finalizer.as_deref().unwrap_or(&self.prefix)
    }

    /// Two types with one name, or finalizer, would count each other's objects as their own.
    fn claim_names(&self, declarations: &mut Declarations) {
        let kind = format!("{}.{}", C::kind(&()), C::group(&()));
        let part = format!("the component type {kind}");
        if let Err(error) = OperatorName::new(&self.prefix) {
            declarations.problem(format!("{part}: {error}"));
        }
        if self.prefix.len() > MAX_NAME && self.options.name.is_some() {
            declarations.problem(format!(
                "{part}: the name {:?} must have at most {MAX_NAME} bytes; shorten it in `.named(\"…\")`",
                self.prefix
            ));
        }
        let remedy = format!("give one of them a name of its own with `.component::<{}>(…).named(\"…\")`", C::kind(&()));
        if declarations.claim("name", &self.prefix, &part, &remedy) {
            let remedy = "give one of them a finalizer of its own with `.finalizer(\"…\")`, or leave it at the default, the name";
            declarations.claim("finalizer", self.finalizer(), &part, remedy);
        }
        if let Err(error) = FinalizerName::unqualified(self.finalizer()) {
            declarations.problem(format!("{part}: {error}"));
        }
    }

    /// Rules by which the operator acts with rights of others: each for the names, or the types, that its author declares.
    fn declare_powers(&self, declarations: &mut Declarations) {
        if let Some(account) = &self.options.default_service_account {
            declarations.rule(Rule::new("", "serviceaccounts", &["impersonate"]).named([account]));
        }
        for resource in C::impersonates() {
            let names: Vec<&String> =
                self.options.impersonates.iter().filter(|(of, _)| of == resource).map(|(_, name)| name).collect();
            if names.is_empty() {
                declarations.remark(format!(
                    "a spec of {} can name {resource} in whose name dependents are written, and no role allows that: name them with \
                     `impersonates`",
                    C::kind(&())
                ));
            } else {
                declarations.optional_rule(Rule::new("", *resource, &["impersonate"]).named(names));
            }
        }
        for resource in &self.options.escalates {
            declarations.rule(Rule::new(RBAC, resource.clone(), &["bind", "escalate"]));
        }
    }

    fn gvk() -> GroupVersionKind {
        GroupVersionKind::new(C::group(&()), C::version(&()), C::kind(&()))
    }
}

#[async_trait]
impl<C: Component> Registration for ComponentRegistration<C> {
    fn name(&self) -> &str {
        &self.controller
    }

    fn use_full_name(&mut self) {
        self.controller = format!("{}.{}", C::kind(&()), C::group(&())).to_lowercase();
    }

    fn declare(&self, declarations: &mut Declarations) {
        match custom_resource_definition::<C>() {
            Ok(crd) => declarations.crd(crd),
            Err(error) => declarations.problem(format!("make the CRD of {}: {error}", C::kind(&()))),
        };
        self.claim_names(declarations);
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
        for (group, plural) in &self.options.lookup_types {
            declarations.rule(Rule::new(group.clone(), plural.clone(), &["get", "list", "watch"]));
        }
        for (group, resource, verbs) in &self.options.hook_permissions {
            let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
            declarations.rule(Rule::new(group.clone(), resource.clone(), &verbs));
        }
        for kind in C::reference_kinds() {
            declarations.rule(Rule::new("", kind.plural(), &["get", "list", "watch"]));
        }
        self.declare_powers(declarations);
        for foreign in &self.extensions.foreign {
            declarations.rule(Rule::new(foreign.group(), foreign.plural.clone(), &["get", "list", "watch"]));
        }
        for (group, plural) in &self.options.managed_types {
            declarations.rule_everywhere(Rule::new(group.clone(), plural.clone(), READ_VERBS));
        }
        let definitions = Rule::new("apiextensions.k8s.io", "customresourcedefinitions", READ_VERBS);
        // They tell when types come and go; an operator that may not watch them reads the types of the cluster every ten minutes.
        declarations.rule_unless_confined(Rule::new("apiregistration.k8s.io", "apiservices", READ_VERBS));
        if self.options.policies.missing_namespaces_policy.unwrap_or_default() == MissingNamespacesPolicy::Create {
            declarations.rule(Rule::new("", "namespaces", &["get", "list", "watch", "create"]));
            declarations.rule(definitions);
        } else {
            // Its UID stands for the cluster (OPT-1).
            declarations.rule(Rule::new("", "namespaces", &["get"]).named(["kube-system"]));
            declarations.rule_unless_confined(Rule::new("", "namespaces", READ_VERBS));
            declarations.rule_unless_confined(definitions);
        }
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let cluster = context.cluster.for_controller(&self.controller);
        let name = OperatorName::new(&self.prefix)?;
        let finalizer = FinalizerName::unqualified(self.finalizer())?;
        let resource = cluster.discovery().require(&Self::gvk()).await?;
        let cluster_id = cluster_id(&context).await?;
        let field_manager: Arc<str> = self.options.field_manager.as_deref().unwrap_or(&self.prefix).into();
        let projection = Arc::new(ProjectionContext {
            operator: name.clone(),
            field_manager: field_manager.to_string(),
            reclaimed_managers: self.options.reclaimed_managers.clone(),
            kind_rules: self.extensions.readiness,
        });
        let namespaces: &[String] = if resource.namespaced { &context.watch_namespaces } else { &[] };
        // The reconciler is told of events by the controller's queue, and the controller is made of the reconciler.
        let queue = self.extensions.queue;
        let notify: Notify = {
            let queue = Arc::clone(&queue);
            Arc::new(move |key: &Key, cause: QueuedBy| {
                if let Some(queue) = queue.get() {
                    queue.because(key.clone(), Lane::Fast, cause);
                }
            })
        };
        let components = Components::watch(&cluster, &Self::gvk(), namespaces, Arc::clone(&notify));
        let (seen, rule) = (components.clone(), format!("{}.{}", C::plural(&()), C::group(&())));
        context.checks.ready(format!("components of {}", self.controller), move || match seen.problem() {
            Some(problem) => {
                Err(format!("{problem} (grant get, list and watch on {rule} to the operator; `rbac` prints its roles)"))
            }
            None => Ok(()),
        })?;
        // Component objects and the code of the operator's author go through the layer; dependents do not.
        let own = match self.extensions.client_layer {
            Some(layer) => cluster.layered(layer),
            None => cluster.clone(),
        };
        let recorder = context.recorder.reporter(&self.prefix);
        let recorder = match self.extensions.recorder {
            Some(sink) => recorder.with_sink(sink),
            None => recorder,
        };
        // The finalizer's name is a wire format: users cannot follow the advice to choose another one.
        cluster
            .expect_warning(format!("metadata.finalizers: {:?}: prefer a domain-qualified finalizer name", finalizer.as_str()));
        let self_manager: Arc<str> = format!("{field_manager}/self").into();
        let kind = TypedKind::new(Arc::from(name.as_str()), own.clone(), Arc::clone(&self.generator), Arc::new(self.hooks));
        if self.options.default_service_account.is_some() && cluster.acts_as_another() {
            return Err(ConnectError::ActsAsAnother { cluster: cluster.name().to_owned() }.into());
        }
        let targets = Targets::new(TargetFactory {
            operator: self.operator.clone(),
            cluster: cluster.clone(),
            tasks: context.tasks.clone(),
            projection: Arc::clone(&projection),
            notify: Arc::clone(&notify),
            recorder: recorder.clone(),
            field_manager,
            parallel: self.options.parallel_requests,
            allow_exec: self.options.allow_exec_credentials,
            connector: context.state(),
        });
        let others = targets.clone();
        context.checks.note(format!("targets of {}", self.controller), move || {
            let problems = others.problems();
            if problems.is_empty() { Ok(()) } else { Err(problems.join(", ")) }
        })?;
        let metrics = Metrics::new(context.metrics.shared(register), self.controller.as_str().into(), Self::gvk().group_kind());
        metrics.watch_clusters(&context.metrics, targets.statistics());
        context.checks.note(format!("polled types of {}", self.controller), metrics.polling_probe())?;
        let outdated = match custom_resource_definition::<C>() {
            Ok(generated) => missing_fields(&cluster, &generated, &C::version(&())).await,
            Err(_) => None,
        };
        metrics.crd_is_outdated(outdated.is_some());
        if let Some(outdated) = outdated {
            tracing::warn!("{outdated}");
            context.checks.note(format!("crd of {}", self.controller), move || Err(outdated.clone()))?;
        }
        let shared = Arc::new(Shared {
            kind: Box::new(kind),
            finalizers: FinalizerWriter::new(
                own.clone(),
                Arc::clone(&resource),
                Arc::clone(&self_manager),
                finalizer,
                &context.timing,
            )
            .retrying(Retry::default()),
            statuses: StatusWriter::new(own.clone(), Arc::clone(&resource), Arc::clone(&self_manager), &context.timing)
                .retrying(Retry::default()),
            timing: context.timing.clone(),
            self_manager,
            resource,
            cluster_id,
            components: components.clone(),
            targets: targets.clone(),
            lookups: Lookups::new(cluster.clone(), context.tasks.clone(), Arc::clone(&notify)),
            references: ReferenceWatches::new(cluster.clone(), context.tasks.clone(), notify),
            projection,
            defaults: self.options.defaults(),
            events: Events::new(recorder, &name, self.options.dependent_events),
            metrics,
            memories: Memories::default(),
            strays: Strays::default(),
            operator: name,
            started: cluster.clock().now(),
            cluster: own,
        });
        let standing_by = Arc::clone(&shared);
        let passes = context.workers.unwrap_or(self.options.parallel_passes);
        let (known, strays) = (components.clone(), Arc::clone(&shared));
        let controller = context
            .controller(self.controller.clone(), Arc::new(ComponentReconciler::new(shared)))
            .workers(passes)
            .timeout(self.options.pass_limit)
            .keys(move || {
                // No other part remembers components that have gone.
                let mut keys = known.keys();
                keys.extend(strays.strays.components());
                keys
            })
            .resync(context.resync);
        if let Some(buckets) = controller.buckets() {
            stand_by(standing_by, buckets, &context.tasks);
        }
        context.why.add(Self::gvk().group_kind(), controller.history());
        // Set once, here.
        drop(queue.set(controller.enqueue()));
        let foreign = self.extensions.foreign.into_iter();
        let foreign = foreign.map(|foreign| foreign.subscribe(&context.cluster, &context.watch_namespaces)).collect();
        Ok(Box::new(ConstructedComponent { controller, components, foreign, tasks: context.tasks }))
    }
}

/// A component type whose watches are started.
struct ConstructedComponent {
    controller: Runner,
    components: Components,
    foreign: Vec<ForeignStore>,
    tasks: Tasks,
}

#[async_trait]
impl ConstructedPart for ConstructedComponent {
    async fn synced(&mut self) -> Result<(), BoxError> {
        let foreign = join_all(self.foreign.iter().map(ForeignStore::settled));
        tokio::join!(self.components.synced(), foreign);
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        let Self { controller, components, foreign, tasks } = *self;
        for foreign in foreign {
            foreign.queue(controller.enqueue(), &tasks);
        }
        Trigger::of_objects(components.store().clone())
            .filter(move |change: &Change<Compact>| components.triggers(change))
            .described()
            .start(format!("components {}", controller.name()), controller.enqueue(), &tasks);
        vec![controller]
    }
}

/// The UID of the namespace `kube-system` stands for the cluster (OPT-1).
async fn cluster_id(context: &OperatorContext) -> Result<String, BoxError> {
    let namespaces = ApiResource::known(&GroupVersionKind::new("", "v1", "Namespace"), "namespaces", false);
    let namespace = context.ask(&ApiRequest::get(&namespaces, "", "kube-system")).await?;
    Ok(namespace.uid().to_owned())
}
