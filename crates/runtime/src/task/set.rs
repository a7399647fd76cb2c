use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::suspension::Suspension;

/// The number of panics that are kept for [`Tasks::panics`].
const KEPT_PANICS: usize = 16;

/// A set of named tasks that end together with it.
#[derive(Clone, Default)]
pub struct Tasks {
    inner: Arc<TaskSet>,
}

#[derive(Default)]
struct TaskSet {
    stop: CancellationToken,
    state: Mutex<TaskSetState>,
    changed: Notify,
    suspension: Suspension,
}

#[derive(Default)]
struct TaskSetState {
    next: u64,
    running: BTreeMap<u64, SpawnedTask>,
    panics: Vec<Panic>,
    panic_count: u64,
    /// The tasks that had to be aborted.
    stuck: Vec<Cow<'static, str>>,
}

struct SpawnedTask {
    name: Cow<'static, str>,
    abort: AbortHandle,
}

/// The error of a task that panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("task {task:?} panicked: {message}")]
pub struct Panic {
    /// The name of the task.
    pub task: Cow<'static, str>,
    /// The message of the panic.
    pub message: String,
}

/// The result of a task. The task continues if this value is dropped.
#[must_use = "a task runs without it, but its result is lost; use detach() when it has none"]
pub struct Task<T> {
    name: Cow<'static, str>,
    result: oneshot::Receiver<Result<T, Panic>>,
}

impl Tasks {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a task. If the set is stopped, the task is dropped instead.
    pub fn spawn<F>(&self, name: impl Into<Cow<'static, str>>, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let name = name.into();
        let (done, result) = oneshot::channel();
        let mut state = self.inner.state.lock();
        if !self.inner.stop.is_cancelled() {
            let id = state.next;
            state.next += 1;
            let guard = TaskGuard { id, tasks: self.clone() };
            let task_name = name.clone();
            #[allow(clippy::disallowed_methods)] // the only place that spawns
            let handle = tokio::spawn(async move {
                let running = guard.tasks.inner.suspension.obeyed_by(future);
                let result = AssertUnwindSafe(running).catch_unwind().await;
                let result = result.map_err(|payload| guard.tasks.report(task_name, payload.as_ref()));
                drop(guard);
                // Without a receiver the result is not needed.
                drop(done.send(result));
            });
            state.running.insert(id, SpawnedTask { name: name.clone(), abort: handle.abort_handle() });
        }
        drop(state);
        Task { name, result }
    }

    /// Returns the token that is cancelled when the set is asked to stop. Long-running tasks select on it.
    pub fn stopping(&self) -> CancellationToken {
        self.inner.stop.child_token()
    }

    /// Asks all tasks to end, waits for them for at most `grace`, and aborts the others. Returns the names of the aborted tasks.
    pub async fn stop(&self, grace: Duration) -> Vec<Cow<'static, str>> {
        self.inner.stop.cancel();
        if tokio::time::timeout(grace, self.joined()).await.is_ok() {
            return Vec::new();
        }
        let stuck: Vec<_> = {
            let mut state = self.inner.state.lock();
            state.running.values().for_each(|task| task.abort.abort());
            let stuck: Vec<_> = state.running.values().map(|task| task.name.clone()).collect();
            state.stuck.extend_from_slice(&stuck);
            stuck
        };
        self.joined().await;
        stuck
    }

    /// Suspends all tasks of the set until [`resume`](Self::resume), as SIGSTOP suspends a process: time passes and answers arrive meanwhile, and no task
    /// sees them. For tests.
    pub fn suspend(&self) {
        self.inner.suspension.suspend();
    }

    /// Resumes the suspended tasks.
    pub fn resume(&self) {
        self.inner.suspension.resume();
    }

    /// Waits until no task runs.
    pub async fn joined(&self) {
        loop {
            let changed = self.inner.changed.notified();
            if self.inner.state.lock().running.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// Returns the names of the running tasks, oldest first.
    pub fn running(&self) -> Vec<Cow<'static, str>> {
        self.inner.state.lock().running.values().map(|task| task.name.clone()).collect()
    }

    /// Returns the names of the tasks that did not end when they were asked to, and were aborted.
    pub fn stuck(&self) -> Vec<Cow<'static, str>> {
        self.inner.state.lock().stuck.clone()
    }

    /// Returns the latest panics, at most 16, oldest first.
    pub fn panics(&self) -> Vec<Panic> {
        self.inner.state.lock().panics.clone()
    }

    /// Returns the number of tasks that have panicked so far.
    pub fn panic_count(&self) -> u64 {
        self.inner.state.lock().panic_count
    }

    fn report(&self, task: Cow<'static, str>, payload: &(dyn Any + Send)) -> Panic {
        let panic = Panic { task, message: panic_message(payload) };
        tracing::error!(task = %panic.task, message = %panic.message, "task panicked");
        let mut state = self.inner.state.lock();
        state.panic_count += 1;
        if state.panics.len() == KEPT_PANICS {
            state.panics.remove(0);
        }
        state.panics.push(panic.clone());
        panic
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("running", &self.running()).finish_non_exhaustive()
    }
}

impl<T> Task<T> {
    /// Lets the task continue without using its result. A panic is still recorded in its set.
    pub fn detach(self) {}

    /// Returns the name of the task.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, Panic>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.result).poll(cx).map(|result| {
            result.unwrap_or_else(|_| Err(Panic { task: self.name.clone(), message: "stopped before it ended".to_owned() }))
        })
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the message of a panic.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// A guard that removes the task from the set when it ends, panics, or is aborted.
struct TaskGuard {
    id: u64,
    tasks: Tasks,
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        let last = {
            let mut state = self.tasks.inner.state.lock();
            state.running.remove(&self.id);
            state.running.is_empty()
        };
        if last {
            self.tasks.inner.changed.notify_waiters();
        }
    }
}
