//! Observing: the shared watches on dependents, and on single objects that a component waits for.

mod awaited;
mod dependents;

pub(crate) use awaited::AwaitedWatches;
pub(crate) use dependents::{DependentWatches, NotObservable};

use std::sync::Arc;

use kubewright_runtime::controller::Key;

/// Queues a pass of a component.
pub(crate) type Notify = Arc<dyn Fn(&Key) + Send + Sync>;
