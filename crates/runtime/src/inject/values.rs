use std::any::{Any, type_name};
use std::ops::Deref;
use std::sync::Arc;

use kubewright_core::flow::BoxError;

use super::{FromOperator, Missing};
use crate::operator::{Declarations, OperatorContext};

/// A clone of the value of this type that the operator's author registered with `.state(value)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // constructors destructure it
pub struct State<T>(pub T);

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Any + Clone + Send + Sync> FromOperator for State<T> {
    fn declare(declarations: &mut Declarations) {
        declarations.state::<T>();
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let missing = || Missing { what: format!("State<{}>", type_name::<T>()) };
        Ok(Self(context.states.get().ok_or_else(missing)?))
    }
}

/// The identity of the running operator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperatorInfo {
    /// The name of the operator.
    pub name: Arc<str>,
    /// The namespace in which the operator runs; empty if it is unknown.
    pub system_namespace: Arc<str>,
    /// The name of this instance in events, usually that of the pod.
    pub instance: Arc<str>,
}

impl FromOperator for OperatorInfo {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self {
            name: Arc::clone(&context.operator),
            system_namespace: Arc::clone(&context.system_namespace),
            instance: Arc::clone(&context.instance),
        })
    }
}
