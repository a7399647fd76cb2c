use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::dependents::KindRule;
use kubewright_core::health::Readiness;
use kubewright_core::manifest::PolicySettings;
use kubewright_machinery::object::GroupKind;
use kubewright_render::{ErasedGenerator, Generator};
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::operator::Operator;
use serde_json::Value;

use super::definition::SetDefinition;
use super::set::RegisteredSet;
use crate::kind::Component;
use crate::operator::{DependentEvents, EngineOptions, engine_options};

/// Extension of an operator by rendered sets.
pub trait RenderedSetExt: Into<Operator> + Sized {
    /// Adds the rendered set that the reconciler of a kind owns. Its generator returns the dependents of an object. The constructor of the
    /// reconciler gets the set as a parameter of type [`RenderedSet`](super::RenderedSet). All options have defaults, which the returned builder
    /// changes.
    fn rendered_set<K: Component + KnownKind>(self, generator: impl Generator<K>) -> RenderedSetBuilder<K> {
        self.rendered_set_as(generator)
    }

    /// Adds a rendered set whose generator gets another value than the owner (see [`Subject`](super::Subject)).
    fn rendered_set_as<K: Component + KnownKind, C: Send + Sync + 'static>(
        self,
        generator: impl Generator<C>,
    ) -> RenderedSetBuilder<K, C> {
        RenderedSetBuilder {
            operator: self.into(),
            generator: Arc::new(generator),
            options: EngineOptions::default(),
            readiness: BTreeMap::new(),
            owner: PhantomData,
        }
    }
}

impl<T: Into<Operator>> RenderedSetExt for T {}

/// A rendered set of an operator, with its options.
#[must_use = "convert it into an `Operator`, or add the reconciler that owns it"]
pub struct RenderedSetBuilder<K, C = K> {
    operator: Operator,
    generator: Arc<dyn ErasedGenerator<C>>,
    options: EngineOptions,
    readiness: BTreeMap<GroupKind, KindRule>,
    owner: PhantomData<fn() -> K>,
}

impl<K: Component + KnownKind, C: Send + Sync + 'static> RenderedSetBuilder<K, C> {
    engine_options!();

    /// Sets the name of the kind of owners: a DNS subdomain of at most 63 bytes, the prefix of the labels and annotations of the dependents, and
    /// the default of the field manager. Default: kind and group of the owners, such as `web.example.com`. Names are unique in an operator.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Sets the rule for the readiness of dependents of this kind, which replaces the framework's own rule. If it returns `None`, the condition
    /// `Ready` decides.
    pub fn readiness(
        mut self,
        group: impl Into<String>,
        kind: impl Into<String>,
        rule: impl Fn(&Value) -> Option<Readiness> + Send + Sync + 'static,
    ) -> Self {
        self.readiness.insert(GroupKind::new(group, kind), Arc::new(rule));
        self
    }
}

impl<K: Component + KnownKind, C: Send + Sync + 'static> From<RenderedSetBuilder<K, C>> for Operator {
    fn from(builder: RenderedSetBuilder<K, C>) -> Self {
        let RenderedSetBuilder { operator, generator, options, readiness, .. } = builder;
        operator.state(RegisteredSet::<K, C>::new(SetDefinition { generator, options, readiness }))
    }
}

impl<K, C> fmt::Debug for RenderedSetBuilder<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedSetBuilder")
            .field("owner", &type_name::<K>())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
