use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use kubewright_core::flow::{Flow, Wait};

use crate::controller::{Maybe, Ready};
use crate::declaration::{ContractComponent, DependsOn, Needs};

/// A component and its dependencies, as the argument of its generator.
pub struct WithDependencies<T: ContractComponent> {
    component: Arc<T>,
    dependencies: Dependencies<T>,
}

enum Dependencies<T: ContractComponent> {
    /// The dependencies of a component that is applied.
    Ready(Ready<T>),
    /// The dependencies of a component that is cleaned up.
    Maybe(Maybe<T>),
}

impl<T: ContractComponent> WithDependencies<T> {
    pub(super) fn ready(component: &Arc<T>, ready: Ready<T>) -> Self {
        Self { component: Arc::clone(component), dependencies: Dependencies::Ready(ready) }
    }

    pub(super) fn maybe(component: &Arc<T>, maybe: Maybe<T>) -> Self {
        Self { component: Arc::clone(component), dependencies: Dependencies::Maybe(maybe) }
    }

    /// Returns the component.
    pub fn component(&self) -> &Arc<T> {
        &self.component
    }

    /// Returns a dependency that is needed. It exists and is ready, except while objects of deletion stages are rendered: then the result is a
    /// wait if it is gone.
    pub fn needed<To: ContractComponent>(&self) -> Flow<Arc<To>>
    where
        T: Needs<To>,
    {
        let found = match &self.dependencies {
            Dependencies::Ready(ready) => Some(ready.get::<To>()),
            Dependencies::Maybe(maybe) => maybe.get::<To>(),
        };
        found.ok_or_else(|| {
            let message = format!("{} is needed to render objects of deletion stages, and is gone", To::TYPE);
            Wait::for_event("DependencyGone").message(message).into()
        })
    }

    /// Returns a dependency of a component that is cleaned up, as far as it is usable. While the component is applied, [`needed`](Self::needed)
    /// returns those that are ready.
    pub fn find<To: ContractComponent>(&self) -> Option<Arc<To>>
    where
        T: DependsOn<To>,
    {
        match &self.dependencies {
            Dependencies::Ready(_) => None,
            Dependencies::Maybe(maybe) => maybe.get::<To>(),
        }
    }
}

/// Dereferences to the component.
impl<T: ContractComponent> Deref for WithDependencies<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.component
    }
}

impl<T: ContractComponent> fmt::Debug for WithDependencies<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithDependencies").field("component", &T::TYPE).finish_non_exhaustive()
    }
}
