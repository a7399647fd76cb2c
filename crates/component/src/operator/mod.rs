//! How a component type becomes a part of an operator.

mod builder;
mod options;
mod registration;

pub use builder::{ComponentBuilder, ComponentExt};
pub use options::DependentEvents;
pub(crate) use options::Options;
