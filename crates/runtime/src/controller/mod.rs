//! The runner of a controller: keys from a queue, passes on their own tasks.
//!
//! A [`Reconciler`] works on one key at a time and says with a [`Conclusion`] when the key runs
//! again. The [`Controller`] bounds how many passes run at once, keeps a panic to its own pass, cancels passes that outlive
//! the shutdown, and remembers per key what its last passes came to.

mod enqueue;
mod pass;
mod reconciler;
mod resync;
mod runner;
mod shared;

#[cfg(test)]
mod tests;

pub use enqueue::Enqueue;
pub use kubewright_core::flow::Conclusion;
pub use kubewright_core::queue::{Drain, Lane};
pub use pass::PassContext;
pub use reconciler::Reconciler;
pub(crate) use runner::CANCEL_GRACE;
pub use runner::{Controller, Surroundings};
