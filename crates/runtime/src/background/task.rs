use std::future::Future;

use kubewright_core::flow::BoxError;
use tokio_util::sync::CancellationToken;

use crate::inject::Constructible;

/// Work beside the controllers. Functions from a [`CancellationToken`] to a future of a `Result` are background tasks, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a background task",
    note = "implement `BackgroundTask` for it, or return a closure `move |stop: CancellationToken| async move {{ … Ok(()) }}` that can be called again"
)]
pub trait BackgroundTask: Send + Sync + 'static {
    /// Works until `stop` is cancelled, and must end soon after it: a task that still runs when the time limit of the passes is over is dropped (SHT-3).
    ///
    /// An end without an error is allowed at any time. An error before `stop` is cancelled stops the operator and becomes the operator's own error; a later
    /// error is only logged.
    fn run(&self, stop: CancellationToken) -> impl Future<Output = Result<(), BoxError>> + Send;
}

/// The role of a background task that runs on every replica.
#[derive(Debug)]
pub struct TaskRole;

impl<T: BackgroundTask> Constructible<TaskRole> for T {}

impl<F, Fut, E> BackgroundTask for F
where
    F: Fn(CancellationToken) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), E>> + Send,
    E: Into<BoxError>,
{
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        self(stop).await.map_err(Into::into)
    }
}
