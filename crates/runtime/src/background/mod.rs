//! Background tasks of the operator's author: work that is not started by an object.
//!
//! A constructor with injected arguments makes a task, like a reconciler. A [`BackgroundTask`] starts on every replica when the operator works, and is asked
//! to stop together with the controllers. A [`LeaderTask`] runs on the replica that leads the bucket of the task, once in each term (LDR-6). An error or a
//! panic of a task stops the operator (OPR-6, OPR-8).

mod builder;
mod leader_task;
mod registration;
mod task;

pub use builder::{OperatorTask, TaskExt};
pub use leader_task::LeaderTask;
pub use task::BackgroundTask;
/// The signal that tells a task to stop.
pub use tokio_util::sync::CancellationToken;
