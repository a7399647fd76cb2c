//! The means by which `#[reconciler]` distinguishes statuses with conditions, and kinds with a definition, from others. Not to be used by hand.

use std::marker::PhantomData;

use kube::CustomResourceExt;
use kubewright_core::condition::Conditioned;
use serde_json::Value;

use super::ConditionAccess;
use crate::definition::custom_resource_definition;
use crate::inject::{Constructed, FromOperator};

/// A type, without a value of it.
#[derive(Debug)]
pub struct TypeProbe<T>(PhantomData<fn() -> T>);

impl<T> TypeProbe<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// A status that declares its conditions.
pub trait HasConditions<S> {
    /// Returns the access to the conditions.
    fn conditions(&self) -> Option<ConditionAccess<S>>;
}

impl<S: Conditioned> HasConditions<S> for TypeProbe<S> {
    fn conditions(&self) -> Option<ConditionAccess<S>> {
        Some(ConditionAccess::derived())
    }
}

/// Any other status. It applies only if [`HasConditions`] does not, since it needs one more reference.
pub trait HasNoConditions<S> {
    /// Returns None.
    fn conditions(&self) -> Option<ConditionAccess<S>> {
        None
    }
}

impl<S> HasNoConditions<S> for &TypeProbe<S> {}

/// A kind that has a definition.
pub trait HasDefinition {
    /// Returns the definition.
    fn definition(&self) -> Option<Value>;
}

impl<K: CustomResourceExt> HasDefinition for TypeProbe<K> {
    fn definition(&self) -> Option<Value> {
        custom_resource_definition::<K>().ok()
    }
}

/// Any other kind. It applies only if [`HasDefinition`] does not, since it needs one more reference.
pub trait HasNoDefinition {
    /// Returns None.
    fn definition(&self) -> Option<Value> {
        None
    }
}

impl<K> HasNoDefinition for &TypeProbe<K> {}

/// Requires that a constructor's argument type can be injected.
pub const fn extractor<T: FromOperator>() {}

/// Requires that a constructor returns its reconciler.
pub const fn constructed<R, M, O: Constructed<R, M>>() {}
