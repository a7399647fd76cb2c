//! How a component type becomes a part of an operator.

mod builder;
mod foreign;
mod options;
mod outdated;
mod registration;
mod trigger;

pub use builder::{ComponentBuilder, ComponentExt};
pub use options::DependentEvents;
pub(crate) use options::Options;
pub use trigger::Trigger;
