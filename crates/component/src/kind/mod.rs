//! The type of a component: the [`Component`] trait, its CRD, and the erased form that the reconciler works with.

mod component;
mod crd;
mod erased;

pub use component::{Component, EmbedsStatus, is_ready};
pub use crd::custom_resource_definition;
pub(crate) use erased::{ErasedKind, Instance, TypedKind, render_with};
