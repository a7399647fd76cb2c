use std::future::Future;
use std::sync::Arc;

use kubewright_core::flow::BoxError;
use tokio_util::sync::CancellationToken;

use crate::controller::LeaderTerm;
use crate::inject::Constructible;

/// Work beside the controllers that one replica does at a time: the leader of the task's bucket. Functions from an [`Arc<LeaderTerm>`](LeaderTerm) and a
/// [`CancellationToken`] to a future of a `Result` are leader tasks, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a leader task",
    note = "implement `LeaderTask` for it, or return a closure `move |term: Arc<LeaderTerm>, stop: CancellationToken| async move {{ … Ok(()) }}` that can be called again"
)]
pub trait LeaderTask: Send + Sync + 'static {
    /// Works in a term until `stop` is cancelled, and must end soon after it. It is called once in each term in which this replica leads the bucket.
    ///
    /// The term is over when another replica may lead the bucket soon. From then on writes through any client of the operator are rejected with
    /// `LeadershipLost`, and the task is asked to stop; it is dropped if it still runs 5 seconds later. The lease is not released before the task has ended.
    ///
    /// A task that ends without an error is not run again in this term. An error before `stop` is cancelled stops the operator and becomes the operator's own
    /// error; a later error is only logged.
    fn run(&self, term: Arc<LeaderTerm>, stop: CancellationToken) -> impl Future<Output = Result<(), BoxError>> + Send;
}

/// The role of a background task that runs on one replica at a time.
#[derive(Debug)]
pub struct LeaderTaskRole;

impl<T: LeaderTask> Constructible<LeaderTaskRole> for T {}

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
