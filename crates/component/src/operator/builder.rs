use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::dependents::KindRule;
use kubewright_core::health::Readiness;
use kubewright_core::manifest::PolicySettings;
use kubewright_machinery::object::GroupKind;
use kubewright_render::{ErasedGenerator, Generator};
use kubewright_runtime::controller::Key as ComponentKey;
use kubewright_runtime::operator::Operator;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::foreign::ForeignWatch;
use super::registration::ComponentRegistration;
use super::trigger::Queue;
use super::{DependentEvents, Options, Trigger};
use crate::hooks::{HookFn, Hooks, Point, ReadHookFn};
use crate::kind::Component;

/// Adds component types to an operator.
pub trait ComponentExt: Into<Operator> + Sized {
    /// Serves a component type: its generator says what its dependents are. Everything else has defaults, which the
    /// returned builder changes.
    fn component<C: Component>(self, generator: impl Generator<C>) -> ComponentBuilder<C> {
        ComponentBuilder {
            operator: self.into(),
            generator: Arc::new(generator),
            hooks: Hooks::default(),
            options: Options::default(),
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
    hooks: Hooks<C>,
    options: Options,
    extensions: Extensions,
}

/// What the operator's author adds to the framework's own rules.
#[derive(Default)]
pub(super) struct Extensions {
    pub(super) readiness: BTreeMap<GroupKind, KindRule>,
    pub(super) foreign: Vec<ForeignWatch>,
    pub(super) queue: Queue,
}

impl<C: Component> ComponentBuilder<C> {
    /// The field manager of writes to dependents. Default: the operator's name. Writes to the component itself use
    /// `<field manager>/self`.
    pub fn field_manager(mut self, name: impl Into<String>) -> Self {
        self.options.field_manager = Some(name.into());
        self
    }

    /// The finalizer on components and on the types that they bring. Default: the operator's name.
    pub fn finalizer(mut self, name: impl Into<String>) -> Self {
        self.options.finalizer = Some(name.into());
        self
    }

    /// Policies for dependents where neither they nor their component say anything.
    pub fn policies(mut self, policies: PolicySettings) -> Self {
        self.options.policies = policies;
        self
    }

    /// After how long dependents are applied again although nothing seems to have changed. Default: 60 minutes; must
    /// be greater than zero.
    pub fn reapply_interval(mut self, interval: Duration) -> Self {
        self.options.reapply_interval = Some(interval);
        self
    }

    /// Field managers whose fields update policy SsaOverride takes over: exact names, or a prefix ending in `*`.
    /// Default: `kubectl*`.
    pub fn reclaimed_managers<S: Into<String>>(mut self, managers: impl IntoIterator<Item = S>) -> Self {
        self.options.reclaimed_managers = managers.into_iter().map(Into::into).collect();
        self
    }

    /// The types that the generator renders, as (group, plural), `*` for all: the command `rbac` prints permissions for
    /// them, and a start without these permissions fails with a message that lists what is missing. Without it only a
    /// write that is refused tells.
    pub fn dependent_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
        self.options.dependent_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
        self
    }

    /// How many requests of one component may be in flight. Default: 16.
    pub fn parallel_requests(mut self, requests: usize) -> Self {
        self.options.parallel_requests = requests.max(1);
        self
    }

    /// How many components are worked on at once. Default: 16.
    pub fn parallel_passes(mut self, passes: usize) -> Self {
        self.options.parallel_passes = passes.max(1);
        self
    }

    /// Which events on dependents are sent. Default: warnings.
    pub fn dependent_events(mut self, events: DependentEvents) -> Self {
        self.options.dependent_events = events;
        self
    }

    /// In whose name dependents are written when neither component nor kubeconfig says: a service account of this name in the
    /// namespace of the component. Default: the operator itself.
    pub fn default_service_account(mut self, name: impl Into<String>) -> Self {
        self.options.default_service_account = Some(name.into());
        self
    }

    /// Kubeconfigs of targets may name a program that gets credentials, which the operator then runs. Whoever may write such a
    /// secret may run programs in the operator's pod. Default: refused.
    pub fn allow_exec_credentials(mut self) -> Self {
        self.options.allow_exec_credentials = true;
        self
    }

    /// When a dependent of this kind is ready, in place of what the framework knows about the kind. `None` leaves it to the
    /// condition `Ready`. Deletion, generations and the conditions `Reconciling` and `Stalled` are looked at before.
    pub fn readiness(
        mut self,
        group: impl Into<String>,
        kind: impl Into<String>,
        rule: impl Fn(&Value) -> Option<Readiness> + Send + Sync + 'static,
    ) -> Self {
        self.extensions.readiness.insert(GroupKind::new(group, kind), Arc::new(rule));
        self
    }

    /// Watches objects of another type, which are no dependents; a change of one queues the components that it concerns, by its
    /// old state and by its new one.
    pub fn foreign_watch<K>(mut self, concerns: impl Fn(&K) -> Vec<ComponentKey> + Send + Sync + 'static) -> Self
    where
        K: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.extensions.foreign.push(ForeignWatch::new(concerns));
        self
    }

    /// A handle that queues passes of these components; to be taken before the operator runs.
    pub fn trigger(&self) -> Trigger<C> {
        Trigger::new(Arc::clone(&self.extensions.queue))
    }

    /// Runs in every pass, before all other hooks: after references were resolved and the cluster of the dependents was found, and not
    /// while the component is suspended.
    pub fn post_read(mut self, hook: impl for<'a> ReadHookFn<'a, C>) -> Self {
        self.hooks.add_post_read(hook);
        self
    }

    /// Runs before rendering and applying.
    pub fn pre_reconcile(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PreReconcile, hook)
    }

    /// Runs when everything is applied and ready.
    pub fn post_reconcile(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PostReconcile, hook)
    }

    /// Runs in every pass over a component that is being deleted, before its dependents are touched.
    pub fn pre_delete(self, hook: impl for<'a> HookFn<'a, C>) -> Self {
        self.hook(Point::PreDelete, hook)
    }

    /// Runs when all dependents are gone, before the component goes.
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
