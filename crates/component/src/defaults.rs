//! The defaults of component controllers. The interval after which dependents are applied again is that of [`kubewright_core::defaults`].
//!
//! The finalizer of components, the field manager and the prefix of their keys are by default the name of the component type.

use std::time::Duration;

/// The interval of the periodic pass after a successful one. The retry interval and the timeout of a component default to its own requeue interval.
pub(crate) const REQUEUE_INTERVAL: Duration = Duration::from_mins(10);

/// The time limit of one pass of a component.
pub(crate) const PASS_LIMIT: Duration = Duration::from_mins(10);

/// The number of components of one type that are processed in parallel.
pub(crate) const PARALLEL_PASSES: usize = 16;

/// The number of requests of one component in flight.
pub(crate) const PARALLEL_REQUESTS: usize = 16;

/// The time that a pass waits for the first list of a type or object that was not watched before.
pub(crate) const FIRST_LIST: Duration = Duration::from_secs(30);

/// The time after which a way of reading that the server forbids is tried again. Watches try again at the latest after the same time.
pub(crate) const FORBIDDEN_AGAIN: Duration = Duration::from_mins(1);

/// The time after which the version of a server is read again for renderings. No event reports its change.
pub(crate) const SERVER_VERSION_AGE: Duration = Duration::from_hours(1);
