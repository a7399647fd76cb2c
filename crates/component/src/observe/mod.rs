//! Observing: the shared watches on components, on their dependents, and on single objects that a component waits for.

mod awaited;
mod components;
mod dependents;
mod own_writes;
mod place;
mod polls;

pub(crate) use awaited::{AwaitedWatches, Obstacle};
pub(crate) use components::{Compact, Components};
pub(crate) use dependents::DependentWatches;
pub(crate) use own_writes::Underway;
pub(crate) use place::{NotObservable, Refusals, Residences, title};
pub(crate) use polls::Polled;

use std::sync::Arc;

use kubewright_machinery::object::Key;

/// Queues a pass of a component.
pub(crate) type Notify = Arc<dyn Fn(&Key) + Send + Sync>;

#[cfg(test)]
mod tests;
