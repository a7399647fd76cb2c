//! The type of a component: the [`Component`] trait and its CRD.

mod component;
mod crd;

pub use component::{Component, EmbedsStatus, is_ready};
pub use crd::custom_resource_definition;
