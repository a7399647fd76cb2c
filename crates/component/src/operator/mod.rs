//! Registration of component types with an operator.

mod builder;
mod declaring;
mod engine_options;
mod foreign;
mod opening;
mod options;
mod outdated;
mod registration;
mod trigger;

pub use builder::{ComponentBuilder, ComponentExt};
pub(crate) use declaring::OwnerTypeNames;
pub(crate) use engine_options::engine_options;
pub(crate) use opening::{EngineOpening, identity_of, identity_request};
pub(crate) use options::EngineOptions;
pub use trigger::Trigger;

pub use crate::events::DependentEvents;
