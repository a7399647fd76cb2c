//! The background tasks of an operator while it runs.

use std::fmt;
use std::future::{self, Future};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use kubewright_core::flow::BoxError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::OperatorError;
use crate::clock::Clock;
use crate::leadership::{TaskTerms, TermWork};
use crate::task::{Task, Tasks};

type TaskFuture = BoxFuture<'static, Result<(), BoxError>>;

/// A background task that is ready to run.
pub struct ReadyTask {
    name: String,
    run: Box<dyn FnOnce(CancellationToken) -> TaskFuture + Send>,
    /// The terms of a leader task; None for a task that runs on every replica.
    terms: Option<TaskTerms>,
}

impl ReadyTask {
    /// Creates a task of this name that runs on every replica. The function is called when the operator begins to work, with the token that stops the task.
    pub fn new<F>(name: impl Into<String>, run: impl FnOnce(CancellationToken) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self { name: name.into(), run: Box::new(move |stop| Box::pin(run(stop))), terms: None }
    }

    /// Creates a task that runs once in each term.
    pub(super) fn in_terms(terms: TaskTerms, work: TermWork) -> Self {
        let run = terms.clone();
        Self { name: terms.task().to_owned(), run: Box::new(move |stop| Box::pin(run.run(work, stop))), terms: Some(terms) }
    }
}

impl fmt::Debug for ReadyTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyTask").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A background task that was started, and may have ended.
#[derive(Clone)]
pub(super) struct StartedTask {
    name: String,
    /// The terms of a leader task; None for a task that runs on every replica.
    terms: Option<TaskTerms>,
    /// Cancelled when the task has ended.
    ended: CancellationToken,
}

impl StartedTask {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the terms of a leader task; None for a task that runs on every replica.
    pub(super) fn terms(&self) -> Option<&TaskTerms> {
        self.terms.as_ref()
    }

    /// Returns the task in the form in which `/debug/state` shows it.
    pub(super) fn to_json(&self) -> Value {
        let state = match &self.terms {
            Some(terms) => terms.state(),
            None if self.ended.is_cancelled() => "ended",
            None => "running",
        };
        let bucket = self.terms.as_ref().map(TaskTerms::bucket);
        json!({ "task": self.name, "state": state, "bucket": bucket, "epoch": self.terms.as_ref().and_then(TaskTerms::epoch) })
    }
}

/// The result of a background task; None if it was dropped because its time was over.
type TaskResult = Option<Result<(), BoxError>>;

/// A background task that runs.
struct RunningTask {
    name: String,
    task: Task<TaskResult>,
}

/// Resolves to the name of the task and its result. A panic counts as an error.
impl Future for RunningTask {
    type Output = (String, TaskResult);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(self.task.poll_unpin(cx)).unwrap_or_else(|panic| Some(Err(panic.into())));
        Poll::Ready((std::mem::take(&mut self.name), result))
    }
}

/// The background tasks of an operator.
#[derive(Default)]
pub(super) struct BackgroundTasks {
    started: Vec<StartedTask>,
    running: FuturesUnordered<RunningTask>,
}

impl BackgroundTasks {
    /// Starts tasks. Each is dropped if it still runs this time after `stop`.
    pub(super) fn start(
        &mut self,
        ready: impl IntoIterator<Item = ReadyTask>,
        tasks: &Tasks,
        clock: &Clock,
        stop: &CancellationToken,
        time: Duration,
    ) {
        for ReadyTask { name, run, terms } in ready {
            let ended = CancellationToken::new();
            self.started.push(StartedTask { name: name.clone(), terms, ended: ended.clone() });
            let (clock, stop) = (clock.clone(), stop.child_token());
            let work = async move {
                let _ended = ended.drop_guard();
                let overdue = async {
                    stop.cancelled().await;
                    clock.sleep(time).await;
                };
                tokio::select! {
                    biased;
                    result = run(stop.clone()) => Some(result),
                    () = overdue => None,
                }
            };
            let task = tasks.spawn(format!("background task {name}"), work);
            self.running.push(RunningTask { name, task });
        }
    }

    /// Returns all tasks that were started.
    pub(super) fn started(&self) -> &[StartedTask] {
        &self.started
    }

    /// Waits for the first failure of a task; without one it never ends.
    pub(super) async fn failed(&mut self) -> OperatorError {
        while let Some((name, result)) = self.running.next().await {
            if let Some(Err(source)) = result {
                return OperatorError::BackgroundTask { name, source };
            }
            tracing::info!(task = name, "the background task has ended");
        }
        future::pending().await
    }

    /// Waits until all stopped tasks have ended. A failure is only logged, because the operator ends already.
    pub(super) async fn ended(&mut self) {
        while let Some((name, result)) = self.running.next().await {
            match result {
                Some(Ok(())) => {}
                Some(Err(error)) => tracing::error!(task = name, %error, "the background task failed while it was stopped"),
                None => tracing::warn!(task = name, "the background task did not end when asked to; it was dropped"),
            }
        }
    }
}
