use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::BoxError;
use kubewright_core::manifest::OperatorName;
use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{GroupVersionKind, Key};
use kubewright_render::ErasedGenerator;
use kubewright_runtime::cluster::RequestRetries;
use kubewright_runtime::controller::Runner;
use kubewright_runtime::finalizer::FinalizerWriter;
use kubewright_runtime::operator::{ConstructedPart, Declarations, OperatorContext, Registration, Rule};
use kubewright_runtime::status::StatusWriter;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::StoreTrigger;
use kubewright_runtime::watch::Change;

use super::EngineOptions;
use super::builder::Extensions;
use super::declaring::OwnerTypeNames;
use super::foreign::ForeignStore;
use super::opening::{EngineOpening, identity_of, identity_request};
use super::outdated::missing_fields;
use crate::erased::TypedKind;
use crate::hooks::HookRegistry;
use crate::kind::{Component, custom_resource_definition};
use crate::observe::{Compact, ComponentCache, Notify};
use crate::reconciler::{ComponentReconciler, Own, stand_by};

/// A component type as a registered part of an operator.
pub(super) struct ComponentRegistration<C: Component> {
    /// The name of the controller in metrics and logs.
    controller: String,
    /// The name of the component type, which is the prefix of its marks (OPT-1a).
    prefix: String,
    /// The name of the operator.
    operator: String,
    generator: Arc<dyn ErasedGenerator<C>>,
    hooks: HookRegistry<C>,
    options: EngineOptions,
    extensions: Extensions,
}

impl<C: Component> ComponentRegistration<C> {
    pub(super) fn new(
        operator: &str,
        generator: Arc<dyn ErasedGenerator<C>>,
        hooks: HookRegistry<C>,
        options: EngineOptions,
        extensions: Extensions,
    ) -> Self {
        let prefix = options.name.clone().unwrap_or_else(|| operator.to_owned());
        let controller = C::kind(&()).to_lowercase();
        Self { controller, prefix, operator: operator.to_owned(), generator, hooks, options, extensions }
    }

    fn finalizer(&self) -> &str {
        self.options.finalizer.as_deref().unwrap_or(&self.prefix)
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
        let names = OwnerTypeNames {
            prefix: &self.prefix,
            finalizer: self.finalizer(),
            is_own: self.options.name.is_some(),
            part: "component type",
            method: "component",
        };
        names.claim::<C>(declarations);
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
        for (group, resource, verbs) in &self.options.hook_permissions {
            let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
            declarations.rule(Rule::new(group.clone(), resource.clone(), &verbs));
        }
        for foreign in &self.extensions.foreign {
            declarations.rule(Rule::new(foreign.group(), foreign.plural.clone(), &["get", "list", "watch"]));
        }
        self.options.declare::<C>(declarations);
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let cluster = context.cluster.for_controller(&self.controller);
        let name = OperatorName::new(&self.prefix)?;
        let finalizer = FinalizerName::unqualified(self.finalizer())?;
        let resource = cluster.discovery().require(&Self::gvk()).await?;
        let cluster_id = identity_of(&context.ask(&identity_request()).await?);
        let namespaces: &[String] = if resource.namespaced { &context.watch_namespaces } else { &[] };
        // The reconciler needs the controller's queue for its events, and the controller is built from the reconciler, so the queue is set
        // later.
        let queue = self.extensions.queue;
        let notify: Notify = {
            let queue = Arc::clone(&queue);
            Arc::new(move |key: &Key, cause: QueuedBy| {
                if let Some(queue) = queue.get() {
                    queue.because(key.clone(), Lane::Fast, cause);
                }
            })
        };
        let components = ComponentCache::watch(&cluster, &Self::gvk(), namespaces, Arc::clone(&notify));
        let (seen, rule) = (components.clone(), format!("{}.{}", C::plural(&()), C::group(&())));
        context.checks.ready(format!("components of {}", self.controller), move || match seen.problem() {
            Some(problem) => {
                Err(format!("{problem} (grant get, list and watch on {rule} to the operator; `rbac` prints its roles)"))
            }
            None => Ok(()),
        })?;
        // Components are written, and the code of the operator's author runs, with the layered client; dependents are written without it.
        let own = match self.extensions.client_layer {
            Some(layer) => cluster.layered(layer),
            None => cluster.clone(),
        };
        let recorder = context.recorder.reporter(&self.prefix);
        let recorder = match self.extensions.recorder {
            Some(sink) => recorder.with_sink(sink),
            None => recorder,
        };
        let kind = TypedKind::new(Arc::from(name.as_str()), own.clone(), Arc::clone(&self.generator), Arc::new(self.hooks));
        let opening = EngineOpening {
            context: &context,
            controller: &self.controller,
            operator: &self.operator,
            name,
            resource: Arc::clone(&resource),
            finalizer: finalizer.clone(),
            is_hosted: false,
            options: &self.options,
            readiness: self.extensions.readiness,
            cluster,
            own: own.clone(),
            recorder,
            notify,
        };
        let shared = Arc::new(opening.open()?);
        shared.know_cluster(cluster_id);
        let outdated = match custom_resource_definition::<C>() {
            Ok(generated) => missing_fields(shared.targets.local().cluster(), &generated, &C::version(&())).await,
            Err(_) => None,
        };
        shared.metrics.crd_is_outdated(outdated.is_some());
        if let Some(outdated) = outdated {
            tracing::warn!("{outdated}");
            context.checks.note(format!("crd of {}", self.controller), move || Err(outdated.clone()))?;
        }
        let manager = Arc::clone(&shared.self_manager);
        let finalizers =
            FinalizerWriter::new(own.clone(), Arc::clone(&resource), Arc::clone(&manager), finalizer, &context.timing);
        let own = Arc::new(Own {
            kind: Box::new(kind),
            finalizers: finalizers.retrying(RequestRetries::default()),
            components: components.clone(),
            statuses: StatusWriter::new(own, resource, manager, &context.timing).retrying(RequestRetries::default()),
        });
        let standing_by = (Arc::clone(&shared), Arc::clone(&own));
        let passes = context.workers.unwrap_or(self.options.parallel_passes);
        let (known, leftovers) = (components.clone(), Arc::clone(&shared));
        let controller = context
            .controller(self.controller.clone(), Arc::new(ComponentReconciler::new(shared, own)))
            .workers(passes)
            .timeout(self.options.pass_limit)
            .keys(move || {
                // Only the leftovers know components that are gone.
                let mut keys = known.keys();
                keys.extend(leftovers.leftovers.components());
                keys
            })
            .resync(context.resync);
        if let Some(buckets) = controller.buckets() {
            stand_by(standing_by.0, standing_by.1, buckets, &context.tasks);
        }
        context.why.add(Self::gvk().group_kind(), controller.history());
        // The queue is not set elsewhere, so this cannot fail.
        drop(queue.set(controller.enqueue()));
        let foreign = self.extensions.foreign.into_iter();
        let foreign = foreign.map(|foreign| foreign.subscribe(&context.cluster, &context.watch_namespaces)).collect();
        Ok(Box::new(ConstructedComponent { controller, components, foreign, tasks: context.tasks }))
    }
}

/// A component type whose watches are started.
struct ConstructedComponent {
    controller: Runner,
    components: ComponentCache,
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
        StoreTrigger::of_objects(components.store().clone())
            .filter(move |change: &Change<Compact>| components.triggers(change))
            .described()
            .start(format!("components {}", controller.name()), controller.enqueue(), &tasks);
        vec![controller]
    }
}
