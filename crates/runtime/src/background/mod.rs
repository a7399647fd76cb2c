//! Background tasks of the operator's author: work that no object starts.
//!
//! A [`BackgroundTask`] is made by a constructor whose arguments are injected, like a reconciler. It starts when the operator works, on every
//! replica, and is asked to stop together with the controllers. An error or a panic of it stops the operator (OPR-6, OPR-8).

mod builder;
mod registration;
mod task;

pub use builder::{OperatorTask, TaskExt};
pub use task::BackgroundTask;
/// Tells a task to stop.
pub use tokio_util::sync::CancellationToken;
