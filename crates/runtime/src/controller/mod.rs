//! The runner of a controller: it takes keys from a queue, and its workers run passes for them.
//!
//! A [`RunPass`] works on one key at a time and returns a [`Conclusion`], which says when the key runs again. The [`Runner`] limits the number of concurrent
//! passes, confines a panic to its own pass, cancels passes that outlive the shutdown, and remembers the last passes of each key.

mod buckets;
mod gate;
mod limits;
mod metrics;
mod one_pass;
mod pass;
mod passes;
mod queue_handle;
mod resync;
mod run_pass;
mod runner;
mod shared;
mod term;
mod waiting;

#[cfg(test)]
mod tests;

pub use buckets::ControllerBuckets;
pub use gate::Observes;
pub use kubewright_core::flow::Conclusion;
pub use kubewright_core::queue::{Drain, Lane};
pub use kubewright_core::why::{Causes, QueuedBy, WriteVerb};
#[doc(hidden)]
pub use one_pass::{OnePass, OnePassOutcome};
pub use pass::PassContext;
pub use passes::PassHistory;
pub use queue_handle::QueueHandle;
pub use run_pass::RunPass;
pub use runner::{Runner, RunnerServices};
pub use term::LeaderTerm;
