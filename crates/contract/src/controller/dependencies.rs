use std::fmt;
use std::sync::Arc;

use crate::declaration::{ContractComponent, DependsOn, MaybeOf, Needs, ReadyOf};

/// The dependencies of a component while it is applied. Those that it needs are ready.
pub struct Ready<T: ContractComponent>(pub(crate) ReadyOf<T>);

impl<T: ContractComponent> Ready<T> {
    /// Returns a dependency that the component needs.
    pub fn get<To: ContractComponent>(&self) -> Arc<To>
    where
        T: Needs<To>,
    {
        Arc::clone(T::ready(&self.0))
    }
}

/// The dependencies of a component that is cleaned up, as far as they are usable (CL-3).
pub struct Maybe<T: ContractComponent>(pub(crate) MaybeOf<T>);

impl<T: ContractComponent> Maybe<T> {
    /// Returns a dependency. `None` if it is absent, ignored, or being deleted without the finalizer of the component.
    pub fn get<To: ContractComponent>(&self) -> Option<Arc<To>>
    where
        T: DependsOn<To>,
    {
        T::maybe(&self.0).map(Arc::clone)
    }
}

impl<T: ContractComponent> fmt::Debug for Ready<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ready<{}>", T::TYPE)
    }
}

impl<T: ContractComponent> fmt::Debug for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Maybe<{}>", T::TYPE)
    }
}
