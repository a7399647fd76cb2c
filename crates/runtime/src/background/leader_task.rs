use std::future::Future;
use std::sync::Arc;

use kubewright_core::flow::BoxError;
use tokio_util::sync::CancellationToken;

use crate::controller::LeaderTerm;

/// Work beside the controllers that one replica does at a time: the one that leads the bucket of the task. Functions from an
/// [`Arc<LeaderTerm>`](LeaderTerm) and a [`CancellationToken`] to a future of a `Result` are leader tasks, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a leader task",
    note = "implement `LeaderTask` for it, or return a closure `move |term: Arc<LeaderTerm>, stop: CancellationToken| async move {{ … Ok(()) }}` that can be called again"
)]
pub trait LeaderTask: Send + Sync + 'static {
    /// Works in a term until `stop` is cancelled, and then ends soon. It is called once in each term in which this replica leads the bucket.
    ///
    /// Writes through any client of the operator are refused with `LeadershipLost` when the term is over. The term is over when another replica may
    /// lead the bucket soon. The task is asked to stop then, and is dropped if it still runs 5 seconds later. The lease is not released before the
    /// task has ended.
    ///
    /// An end without an error is an end for this term. An error while the term lasts, before `stop` is cancelled, stops the operator, and is the
    /// operator's own; a later one is logged.
    fn run(&self, term: Arc<LeaderTerm>, stop: CancellationToken) -> impl Future<Output = Result<(), BoxError>> + Send;
}

impl<F, Fut, E> LeaderTask for F
where
    F: Fn(Arc<LeaderTerm>, CancellationToken) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), E>> + Send,
    E: Into<BoxError>,
{
    async fn run(&self, term: Arc<LeaderTerm>, stop: CancellationToken) -> Result<(), BoxError> {
        self(term, stop).await.map_err(Into::into)
    }
}
