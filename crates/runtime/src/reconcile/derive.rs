//! How `#[reconciler]` tells statuses with conditions, and kinds with a definition, from others. Not to be used by hand.

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
    /// The access to them.
    fn conditions(&self) -> Option<ConditionAccess<S>>;
}

impl<S: Conditioned> HasConditions<S> for TypeProbe<S> {
    fn conditions(&self) -> Option<ConditionAccess<S>> {
        Some(ConditionAccess::derived())
    }
}

/// Every other status. Found only where [`HasConditions`] does not apply, since it needs one more reference.
pub trait HasNoConditions<S> {
    /// None.
    fn conditions(&self) -> Option<ConditionAccess<S>> {
        None
    }
}

impl<S> HasNoConditions<S> for &TypeProbe<S> {}

/// A kind that brings its definition.
pub trait HasDefinition {
    /// The definition.
    fn definition(&self) -> Option<Value>;
}

impl<K: CustomResourceExt> HasDefinition for TypeProbe<K> {
    fn definition(&self) -> Option<Value> {
        custom_resource_definition::<K>().ok()
    }
}

/// Every other kind. Found only where [`HasDefinition`] does not apply, since it needs one more reference.
pub trait HasNoDefinition {
    /// None.
    fn definition(&self) -> Option<Value> {
        None
    }
}

impl<K> HasNoDefinition for &TypeProbe<K> {}

/// Requires that an argument of a constructor can be injected.
pub const fn extractor<T: FromOperator>() {}

/// Requires that a constructor returns its reconciler.
pub const fn constructed<R, M, O: Constructed<R, M>>() {}
