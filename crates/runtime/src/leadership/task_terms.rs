//! The terms in which a leader task runs (LDR-6).

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_core::flow::BoxError;
use kubewright_core::lease::Term;
use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::cluster::fenced;
use crate::controller::LeaderTerm;
use crate::defaults::CANCEL_GRACE;
use crate::task::panic_message;

/// The function of a leader task, which works in a term until it is asked to stop.
pub(crate) type TermWork =
    Box<dyn Fn(Arc<LeaderTerm>, CancellationToken) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// The link between a leader task and its election: it tells the task about the terms of its bucket, and the election about the progress of the task. Cheap
/// to clone.
///
/// The order of calls for a term is [`activate`](Self::activate), [`cancel`](Self::cancel), [`drained`](Self::drained); at a shutdown the task is asked to
/// stop, but the term is not cancelled.
#[derive(Clone)]
pub(crate) struct TaskTerms(Arc<SharedTaskTerms>);

struct SharedTaskTerms {
    task: String,
    /// The bucket to which the task belongs.
    bucket: Arc<str>,
    clock: Clock,
    state: watch::Sender<TermState>,
}

/// The progress of a leader task in the current term of its bucket.
#[derive(Clone, Debug)]
enum TermState {
    /// This replica does not lead the bucket.
    Standby,
    /// The term has begun, and the task has not started yet.
    Due(Arc<LeaderTerm>),
    /// The task runs in the term.
    Running(Arc<LeaderTerm>, TermTokens),
    /// The task has returned, and starts again in the next term.
    Done(Arc<LeaderTerm>),
    /// The task runs in no further term: it has failed, or the operator ends.
    Ended,
}

/// The tokens of a task in a term.
#[derive(Clone, Debug)]
struct TermTokens {
    /// The token that asks the task to stop, because the term is lost or the operator ends.
    stop: CancellationToken,
    /// The token that is cancelled when the term is lost. From then on the task has a limited time, even while the operator ends.
    lost: CancellationToken,
}

impl TaskTerms {
    /// Creates the terms of a task that runs while this replica leads the bucket.
    pub(crate) fn of_bucket(task: &str, bucket: Arc<str>, clock: Clock) -> Self {
        let state = watch::Sender::new(TermState::Standby);
        Self(Arc::new(SharedTaskTerms { task: task.to_owned(), bucket, clock, state }))
    }

    /// Creates the single term of a task of an operator without leadership: that of the universal bucket, which has no name and never ends (LDR-3).
    pub(crate) fn universal(task: &str, clock: Clock) -> Self {
        let terms = Self::of_bucket(task, Arc::default(), clock.clone());
        let term = Term::unlimited(Moment(Duration::MAX));
        terms.activate(Arc::new(LeaderTerm::new(Arc::default(), term, clock)));
        terms
    }

    /// Returns the name of the task.
    pub(crate) fn task(&self) -> &str {
        &self.0.task
    }

    /// Returns the bucket to which the task belongs.
    pub(crate) fn bucket(&self) -> &Arc<str> {
        &self.0.bucket
    }

    /// Returns the epoch of the current term; None while this replica does not lead the bucket.
    pub(crate) fn epoch(&self) -> Option<u64> {
        match &*self.0.state.borrow() {
            TermState::Due(term) | TermState::Running(term, _) | TermState::Done(term) => Some(term.epoch()),
            TermState::Standby | TermState::Ended => None,
        }
    }

    /// Returns the state of the task in one word.
    pub(crate) fn state(&self) -> &'static str {
        match &*self.0.state.borrow() {
            TermState::Standby => "standby",
            TermState::Due(_) | TermState::Running(..) => "running",
            TermState::Done(_) => "done",
            TermState::Ended => "ended",
        }
    }

    /// Begins a term. Terms of other buckets are ignored.
    pub(super) fn activate(&self, term: Arc<LeaderTerm>) {
        if term.bucket() == self.bucket() {
            self.0.state.send_if_modified(|state| {
                let is_free = matches!(state, TermState::Standby);
                if is_free {
                    *state = TermState::Due(term);
                }
                is_free
            });
        }
    }

    /// Ends the term of a bucket: asks the task to stop if it belongs to that bucket.
    pub(super) fn cancel(&self, bucket: &str) {
        if *bucket == **self.bucket() {
            self.0.state.send_modify(|state| match state {
                TermState::Running(_, tokens) => {
                    tokens.lost.cancel();
                    tokens.stop.cancel();
                }
                TermState::Due(_) | TermState::Done(_) => *state = TermState::Standby,
                TermState::Standby | TermState::Ended => {}
            });
        }
    }

    /// Waits until the task does not run for a bucket and cannot start in its current term, which was cancelled, or the operator ends.
    pub(super) async fn drained(&self, bucket: &str) {
        if *bucket == **self.bucket() {
            let is_drained = |state: &TermState| !matches!(state, TermState::Due(_) | TermState::Running(..));
            // The sender is in `self`, so the wait cannot fail.
            drop(self.0.state.subscribe().wait_for(is_drained).await);
        }
    }

    /// Runs `work` once in each term, under the write fence of the term, until `stop` or until it fails before it was asked to stop.
    pub(crate) async fn run(self, work: TermWork, stop: CancellationToken) -> Result<(), BoxError> {
        let _ended = EndOfTask(&self);
        loop {
            let (term, tokens) = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(()),
                begun = self.begin(&stop) => begun,
            };
            let result = self.run_in(&term, &tokens, &work).await;
            if let Err(failure) = result {
                if !tokens.lost.is_cancelled() && !term.is_over() {
                    return failure.into_result();
                }
                let error = failure.text();
                tracing::warn!(task = self.task(), bucket = %self.bucket(), error, "the background task failed at the end of its term");
            }
            if stop.is_cancelled() {
                return Ok(());
            }
            self.ended(term, &tokens.lost);
        }
    }

    /// Waits for a term to begin, and marks the task as running in it.
    async fn begin(&self, stop: &CancellationToken) -> (Arc<LeaderTerm>, TermTokens) {
        let mut states = self.0.state.subscribe();
        loop {
            let mut begun = None;
            self.0.state.send_if_modified(|state| {
                if let TermState::Due(term) = state {
                    let tokens = TermTokens { stop: stop.child_token(), lost: CancellationToken::new() };
                    begun = Some((Arc::clone(term), tokens.clone()));
                    *state = TermState::Running(Arc::clone(term), tokens);
                }
                begun.is_some()
            });
            if let Some(begun) = begun {
                return begun;
            }
            // The sender is in `self`, so the wait cannot fail.
            drop(states.wait_for(|state| matches!(state, TermState::Due(_))).await);
        }
    }

    async fn run_in(&self, term: &Arc<LeaderTerm>, tokens: &TermTokens, work: &TermWork) -> Result<(), TaskFailure> {
        tracing::info!(task = self.task(), bucket = %self.bucket(), epoch = term.epoch(), "the background task begins its term");
        // At the shutdown of the operator a task has the same time as passes, which is limited by the caller.
        let overdue = async {
            tokens.lost.cancelled().await;
            self.0.clock.sleep(CANCEL_GRACE).await;
        };
        let working = async { work(Arc::clone(term), tokens.stop.clone()).await };
        let working = AssertUnwindSafe(fenced(Arc::clone(term) as _, working)).catch_unwind();
        tokio::select! {
            biased;
            result = working => match result {
                Ok(result) => result.map_err(TaskFailure::Error),
                Err(panic) => Err(TaskFailure::Panic(panic)),
            },
            () = overdue => {
                tracing::warn!(task = self.task(), bucket = %self.bucket(), "the background task did not end with its term; it was dropped");
                Ok(())
            }
        }
    }

    /// Records that the task has ended in a term.
    fn ended(&self, term: Arc<LeaderTerm>, lost: &CancellationToken) {
        self.0.state.send_modify(|state| {
            *state = if lost.is_cancelled() { TermState::Standby } else { TermState::Done(term) };
        });
    }
}

impl fmt::Debug for TaskTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskTerms").field("task", &self.0.task).field("state", &self.state()).finish_non_exhaustive()
    }
}

/// The failure of a task.
enum TaskFailure {
    Error(BoxError),
    Panic(Box<dyn Any + Send>),
}

impl TaskFailure {
    /// Returns the error, or raises the panic again: the set of tasks handles both.
    fn into_result(self) -> Result<(), BoxError> {
        match self {
            Self::Error(error) => Err(error),
            Self::Panic(panic) => resume_unwind(panic),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Error(error) => error.to_string(),
            Self::Panic(panic) => format!("it panicked: {}", panic_message(panic.as_ref())),
        }
    }
}

/// A guard that marks the task as ended for all further terms, even if it panicked or was dropped.
struct EndOfTask<'a>(&'a TaskTerms);

impl Drop for EndOfTask<'_> {
    fn drop(&mut self) {
        self.0.0.state.send_replace(TermState::Ended);
    }
}
