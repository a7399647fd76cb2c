use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::dependents::KindRule;
use kubewright_core::health::Readiness;
use kubewright_core::manifest::PolicySettings;
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_render::{ErasedGenerator, Generator};
use kubewright_runtime::events::{EventSink, Occurrence};
use kubewright_runtime::operator::Operator;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::foreign::ForeignWatch;
use super::registration::ComponentRegistration;
use super::trigger::Queue;
use super::{DependentEvents, EngineOptions, Trigger, engine_options};
use crate::hooks::{HookFn, HookRegistry, Point, ReadHookFn};
use crate::kind::Component;

/// Extension of an operator by component types.
pub trait ComponentExt: Into<Operator> + Sized {
    /// Adds a component type, whose generator returns the dependents. All options have defaults, which the returned builder changes.
    fn component<C: Component>(self, generator: impl Generator<C>) -> ComponentBuilder<C> {
        ComponentBuilder {
            operator: self.into(),
            generator: Arc::new(generator),
            hooks: HookRegistry::default(),
            options: EngineOptions::default(),
            extensions: Extensions::default(),
        }
    }
}

impl<T: Into<Operator>> ComponentExt for T {}

/// A component type of an operator, with its options and hooks.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct ComponentBuilder<C: Component> {
    operator: Operator,
    generator: Arc<dyn ErasedGenerator<C>>,
    hooks: HookRegistry<C>,
    options: EngineOptions,
    extensions: Extensions,
}

/// The extensions that the operator's author adds to the framework's own rules.
#[derive(Default)]
pub(super) struct Extensions {
    pub(super) readiness: BTreeMap<GroupKind, KindRule>,
    pub(super) foreign: Vec<ForeignWatch>,
    pub(super) queue: Queue,
    pub(super) client_layer: Option<ClientLayer>,
    pub(super) recorder: Option<EventSink>,
}

/// A function that wraps a client.
type ClientLayer = Box<dyn FnOnce(kube::Client) -> kube::Client + Send + Sync>;

impl<C: Component> ComponentBuilder<C> {
    engine_options!();

    /// Sets the name of the component type: a DNS subdomain of at most 63 bytes, the prefix of the labels and annotations of its dependents, and
    /// the default of its field manager and finalizer. Default: the operator's name. Names are unique in an operator, so each type after the
    /// first needs one.
    ///
    /// The name determines the owner of objects. Components that were installed under another name are owned by that name, and are taken over
    /// only with adoption policy `Always`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Sets the finalizer of components and of the types that they install. Default: the name of the component type.
    pub fn finalizer(mut self, name: impl Into<String>) -> Self {
        self.options.finalizer = Some(name.into());
        self
    }

    /// Declares a permission that hooks need: verbs on a resource of a group, as a plural with the subresource if there is one (`pods/exec`).
    /// The command `rbac` prints it, and a start without it fails with a message that names it. Call this once for each resource. Events of
    /// `cx.event(..)` need no permission.
    pub fn hook_permissions(mut self, group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        let verbs = verbs.iter().map(|verb| (*verb).to_owned()).collect();
        self.options.hook_permissions.push((group.into(), resource.into(), verbs));
        self
    }

    /// Sets the number of components that are processed in parallel. Default: 16.
    pub fn parallel_passes(mut self, passes: usize) -> Self {
        self.options.parallel_passes = passes.max(1);
        self
    }

    /// Sets the time limit of a pass over one component, including hooks and generator. A longer pass is cancelled and counts as failed; the
    /// status names the code where it hung, and the next pass follows after 1 s, doubled up to 5 minutes. Code that computes without awaiting
    /// cannot be cancelled. Default: 10 minutes, also for zero.
    pub fn pass_limit(mut self, limit: Duration) -> Self {
        self.options.pass_limit = if limit.is_zero() { EngineOptions::default().pass_limit } else { limit };
        self
    }

    /// Sets the rule for the readiness of dependents of this kind, which replaces the framework's own rule. If it returns `None`, the condition
    /// `Ready` decides. Deletion, generations and the conditions `Reconciling` and `Stalled` are checked before.
    pub fn readiness(
        mut self,
        group: impl Into<String>,
        kind: impl Into<String>,
        rule: impl Fn(&Value) -> Option<Readiness> + Send + Sync + 'static,
    ) -> Self {
        self.extensions.readiness.insert(GroupKind::new(group, kind), Arc::new(rule));
        self
    }

    /// Watches objects of another type that are no dependents. A change of an object queues the components that `concerns` returns for its old
    /// and for its new state.
    pub fn foreign_watch<K>(mut self, concerns: impl Fn(&K) -> Vec<Key> + Send + Sync + 'static) -> Self
    where
        K: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.extensions.foreign.push(ForeignWatch::new(concerns));
        self
    }

    /// Wraps the client that writes components (finalizers, status) and that hooks and references use. Dependents are written, and all objects
    /// are watched, with the operator's own client. Default: none.
    pub fn client_layer(mut self, layer: impl FnOnce(kube::Client) -> kube::Client + Send + Sync + 'static) -> Self {
        self.extensions.client_layer = Some(Box::new(layer));
        self
    }

    /// Sets the receiver of the events on components and on their dependents, in place of the API server. It is called inside passes, so it must
    /// not block. Default: events are objects of `events.k8s.io` in the cluster of the object that they are about.
    pub fn recorder(mut self, recorder: impl Fn(Occurrence) + Send + Sync + 'static) -> Self {
        self.extensions.recorder = Some(Arc::new(recorder));
        self
    }

    /// Returns a handle that queues passes of these components. It must be taken before the operator runs.
    pub fn trigger(&self) -> Trigger<C> {
        Trigger::new(Arc::clone(&self.extensions.queue))
    }

    /// Adds a hook that runs in every pass before all other hooks: after references were resolved and the cluster of the dependents was found.
    /// It does not run while the component is suspended.
    pub fn post_read(mut self, hook: impl for<'a> ReadHookFn<'a, C>) -> Self {
        self.hooks.add_post_read(hook);
        self
    }

    /// Adds a hook that runs before rendering and applying.
    pub fn pre_reconcile(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PreReconcile, hook)
    }

    /// Adds a hook that runs when everything is applied and ready.
    pub fn post_reconcile(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PostReconcile, hook)
    }

    /// Adds a hook that runs in every pass over a component that is being deleted, before its dependents are changed.
    pub fn pre_delete(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PreDelete, hook)
    }

    /// Adds a hook that runs when all dependents are gone, before the component is removed.
    pub fn post_delete(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PostDelete, hook)
    }

    fn hook(mut self, point: Point, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hooks.add(point, hook);
        self
    }
}

impl<C: Component> From<ComponentBuilder<C>> for Operator {
    fn from(builder: ComponentBuilder<C>) -> Self {
        let ComponentBuilder { operator, generator, hooks, options, extensions } = builder;
        let registration = ComponentRegistration::new(operator.name(), generator, hooks, options, extensions);
        operator.register(Box::new(registration))
    }
}

impl<C: Component> fmt::Debug for ComponentBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentBuilder").field("kind", &C::kind(&())).field("options", &self.options).finish_non_exhaustive()
    }
}
