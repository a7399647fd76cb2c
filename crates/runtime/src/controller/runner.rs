//! The run loop of a controller.

use std::num::NonZero;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{fmt, future};

use futures::FutureExt as _;
use kubewright_core::backoff::RateLimiter;
use kubewright_core::flow::{Class, Conclusion, Failure, Flow, Origin, ResultLabel};
use kubewright_core::queue::Drain;
use kubewright_machinery::object::Key;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::buckets::{ControllerBuckets, KeySource};
use super::gate::{Gate, ReplicaRole};
use super::limits::CurrentLimits;
use super::one_pass::{OnePass, OnePassOutcome};
use super::pass::PassBegin;
use super::shared::{AfterPass, NextKey, Shared};
use super::{Causes, Observes, PassContext, PassHistory, QueueHandle, RunPass, resync};
use crate::clock::{Clock, Random};
use crate::cluster::fenced;
use crate::config::CurrentTiming;
use crate::defaults::{CANCEL_GRACE, WORKERS};
use crate::metrics::{Metrics, QueueStatistics};
use crate::task::{Tasks, panic_message};

/// The services of the process that a controller needs.
#[derive(Clone, Debug)]
pub struct RunnerServices {
    /// The clock.
    pub clock: Clock,
    /// The source of jitter.
    pub random: Random,
    /// The set of tasks in which passes run.
    pub tasks: Tasks,
    /// The registry of metrics.
    pub metrics: Metrics,
    /// The delays and limits.
    pub timing: CurrentTiming,
}

/// The runner of a controller: a queue of keys, and the passes that work on them.
pub struct Runner {
    shared: Arc<Shared>,
    passes: Arc<dyn RunPass>,
    tasks: Tasks,
    random: Random,
    workers: usize,
    timeout: Option<Duration>,
    drain: Drain,
    keys: KeySource,
    resync: Option<Duration>,
}

impl Runner {
    /// Creates a controller that runs two passes at once, without a limit on their time.
    pub fn new(name: impl Into<String>, passes: Arc<dyn RunPass>, services: RunnerServices) -> Self {
        let RunnerServices { clock, random, tasks, metrics, timing } = services;
        let limits = CurrentLimits::new(timing, random.next_u64());
        let shared = Arc::new(Shared::new(name.into(), clock, metrics.clone(), limits));
        let statistics: Weak<dyn QueueStatistics> = Arc::downgrade(&(shared.clone() as Arc<dyn QueueStatistics>));
        metrics.watch_queue(statistics);
        Self {
            shared,
            passes,
            tasks,
            random,
            workers: WORKERS,
            timeout: None,
            drain: Drain::FinishInFlight,
            keys: KeySource::default(),
            resync: None,
        }
    }

    /// Sets the number of concurrent passes; at least one.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Limits the time of a pass; a pass that exceeds it has failed.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the source of the keys of all known objects, for resyncs and promotions. The default has none.
    #[must_use]
    pub fn keys(mut self, keys: impl Fn() -> Vec<Key> + Send + Sync + 'static) -> Self {
        self.keys = KeySource(Some(Arc::new(keys)));
        self
    }

    /// Sets the resync: every period, all [`keys`](Self::keys) are queued in the slow lane, spread over a twentieth of the period. Without a period there is
    /// no resync.
    #[must_use]
    pub fn resync(mut self, period: Option<Duration>) -> Self {
        self.resync = period.filter(|period| !period.is_zero());
        self
    }

    /// Divides the keys into buckets of these names. The controller works on the keys of the buckets that [`buckets`](Self::buckets) makes it lead, at first
    /// on none.
    #[must_use]
    pub fn divided(self, names: impl IntoIterator<Item = Arc<str>>) -> Self {
        let mut queue = self.shared.queue.lock();
        queue.divide(Gate::divided(names, Observes::Nothing));
        drop(queue);
        self
    }

    /// Sets which keys of other replicas' buckets get passes. The writes of these passes are rejected.
    #[must_use]
    pub fn observes(self, observes: Observes) -> Self {
        self.shared.queue.lock().gate().observe(observes);
        self
    }

    /// Returns the handle of its buckets, or None if its keys are not divided.
    pub fn buckets(&self) -> Option<ControllerBuckets> {
        let is_divided = self.shared.queue.lock().gate().is_divided();
        is_divided.then(|| ControllerBuckets::new(Arc::clone(&self.shared), Arc::clone(&self.passes), self.keys.clone()))
    }

    /// Sets the way to end. By default running passes end by themselves and queued keys are dropped.
    #[must_use]
    pub fn drain(mut self, drain: Drain) -> Self {
        self.drain = drain;
        self
    }

    /// Sets the limit on retries (LIM-2).
    #[must_use]
    pub fn limiter(self, limiter: Box<dyn RateLimiter>) -> Self {
        self.shared.limits.lock().set_limiter(limiter);
        self
    }

    /// Sets the class of failures whose error is not recognised (ERR-9).
    #[must_use]
    pub fn unclassified(self, class: Class) -> Self {
        self.shared.limits.lock().set_unclassified(class);
        self
    }

    /// Sets the turn of lower lanes; with None they wait for all higher ones (QUE-6).
    #[must_use]
    pub fn fairness(self, turn: Option<NonZero<u32>>) -> Self {
        self.shared.queue.lock().fairness(turn);
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Returns the handle that queues keys; it works before the controller runs.
    pub fn enqueue(&self) -> QueueHandle {
        QueueHandle::new(self.shared.clone())
    }

    /// Returns the history of the last passes of each key, with their causes.
    pub fn history(&self) -> PassHistory {
        PassHistory::new(self.shared.clone())
    }

    /// Returns a probe that fails when all workers have been in the same passes for longer than `limit`.
    pub fn stuck_probe(&self, limit: Duration) -> impl Fn() -> Result<(), String> + Send + Sync + use<> {
        let (shared, workers) = (self.shared.clone(), self.workers);
        move || {
            let stuck = shared.is_stuck(workers, limit);
            if stuck { Err(format!("all {workers} workers have been busy with the same objects for {limit:?}")) } else { Ok(()) }
        }
    }

    /// Runs one pass for a key, even if it is not queued. Its conclusion queues nothing.
    #[doc(hidden)]
    pub async fn one_pass(&self, key: Key) -> OnePass {
        let (trace, started) = (trace_id(&self.random), self.shared.now());
        let causes = Causes::default();
        let begin = PassBegin { key, trace, span: None, started, causes, before: None, role: ReplicaRole::Only };
        let context = Arc::new(PassContext::new(self.shared.clone(), begin).keep_outcome());
        let running =
            RunningPass { passes: &*self.passes, shared: &self.shared, timeout: self.timeout, context: Arc::clone(&context) };
        let conclusion = running.conclude().await;
        running.log(&conclusion);
        let (called, outcome) = context.seen();
        OnePass { called, outcome: outcome.unwrap_or(OnePassOutcome::Success), conclusion }
    }

    /// Runs passes until `stop`, then drains. Passes that still run after `deadline` are cancelled.
    pub async fn run(self, stop: CancellationToken, deadline: Duration) {
        let worker = Arc::new(Worker {
            passes: Arc::clone(&self.passes),
            shared: Arc::clone(&self.shared),
            random: self.random.clone(),
            workers: self.workers,
            timeout: self.timeout,
        });
        let resync = async {
            match self.resync {
                Some(period) => resync::run(period, &self.keys, &self.shared.clock, &self.enqueue()).await,
                None => future::pending().await,
            }
        };
        tokio::pin!(resync);
        loop {
            let is_more = self.shared.take_portion();
            self.start_passes(&worker);
            if is_more && !stop.is_cancelled() {
                tokio::task::yield_now().await;
                continue;
            }
            let due = self.shared.next_due(self.workers);
            let timer = async {
                match due {
                    Some(due) => self.shared.clock.sleep_until(due).await,
                    None => future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = self.shared.wake.notified() => {}
                () = timer => {}
                () = &mut resync => {}
            }
        }
        self.shared.drain(self.drain);
        if self.drain == Drain::Drop {
            self.shared.cancel.cancel();
        }
        if self.shared.clock.limit(deadline, self.drained(&worker)).await.is_err() {
            tracing::warn!(controller = self.name(), ?deadline, "passes still run; they are cancelled");
            self.shared.cancel.cancel();
            self.shared.drain(Drain::Drop);
            self.drained(&worker).await;
        }
    }

    async fn drained(&self, worker: &Arc<Worker>) {
        loop {
            self.start_passes(worker);
            if self.shared.queue.lock().is_idle() {
                return;
            }
            self.shared.wake.notified().await;
        }
    }

    fn start_passes(&self, worker: &Arc<Worker>) {
        while let Some(popped) = self.shared.pop(self.workers) {
            let name = format!("pass of {}", self.shared.name);
            self.tasks.spawn(name, Arc::clone(worker).work(popped)).detach();
        }
    }
}

/// Ends the queue, even if the runner never ran or has failed, so that its buckets can be released.
impl Drop for Runner {
    fn drop(&mut self) {
        self.shared.drain(Drain::Drop);
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("name", &self.name()).field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// The state that the workers share; each works in a task of its own.
struct Worker {
    passes: Arc<dyn RunPass>,
    shared: Arc<Shared>,
    random: Random,
    workers: usize,
    timeout: Option<Duration>,
}

impl Worker {
    /// Runs a pass, and further ones as long as many keys wait: for a controller with short passes, a new task for each would cost more than the pass.
    async fn work(self: Arc<Self>, first: NextKey) {
        let mut next = Some(first);
        while let Some(popped) = next {
            let AfterPass::GoOn = self.pass(popped).await else { return };
            tokio::task::yield_now().await;
            next = self.shared.pop(self.workers);
        }
        // Other workers took the waiting keys, and the run loop was not notified of the end of the pass.
        self.shared.wake.notify_one();
    }

    async fn pass(&self, popped: NextKey) -> AfterPass {
        let NextKey { key, started, causes, role } = popped;
        let trace = trace_id(&self.random);
        let span = tracing::info_span!("pass", controller = self.shared.name, %key, %trace, why = %causes, step = Empty);
        let last = self.shared.last_pass(&key);
        if let Some(before) = last.as_ref().and_then(|last| last.span) {
            span.follows_from(tracing::span::Id::from_non_zero_u64(before));
        }
        let before = last.map(|last| last.trace.clone());
        let id = span.id().map(|id| id.into_non_zero_u64());
        let fence = role.fence();
        let begin = PassBegin { key, trace, span: id, started, causes, before, role };
        let context = Arc::new(PassContext::new(self.shared.clone(), begin));
        let running = RunningPass { passes: &*self.passes, shared: &self.shared, timeout: self.timeout, context };
        match fence {
            Some(fence) => fenced(fence, running.run().instrument(span)).await,
            None => running.run().instrument(span).await,
        }
    }
}

fn trace_id(random: &Random) -> Arc<str> {
    format!("{:016x}{:016x}", random.next_u64(), random.next_u64()).into()
}

/// A pass that is being run.
struct RunningPass<'a> {
    passes: &'a dyn RunPass,
    shared: &'a Shared,
    timeout: Option<Duration>,
    context: Arc<PassContext>,
}

impl RunningPass<'_> {
    async fn run(self) -> AfterPass {
        let conclusion = self.conclude().await;
        if let Some(step) = self.context.last_step() {
            tracing::Span::current().record("step", &*step);
        }
        self.log(&conclusion);
        self.context.remember(&conclusion);
        self.shared.done(self.context.key(), self.context.started(), &conclusion, self.context.role())
    }

    async fn conclude(&self) -> Conclusion {
        let abandoned = async {
            self.context.cancelled().cancelled().await;
            self.shared.clock.sleep(CANCEL_GRACE).await;
        };
        tokio::select! {
            biased;
            conclusion = self.attempt() => conclusion,
            () = abandoned => Conclusion::cancelled(),
        }
    }

    async fn attempt(&self) -> Conclusion {
        let pass = AssertUnwindSafe(self.passes.run(&self.context)).catch_unwind();
        let ended = match self.timeout {
            Some(limit) => self.shared.clock.limit(limit, pass).await,
            None => Ok(pass.await),
        };
        let failure = match ended {
            Ok(Ok(conclusion)) => return conclusion,
            Ok(Err(payload)) => {
                self.context.count_panic();
                Failure::backoff(format!("the pass panicked: {}", panic_message(payload.as_ref())))
                    .reason("Panic")
                    .origin(Origin::Bug)
            }
            // A pass that takes so long is retried slowly, so that it does not occupy a worker all the time.
            Err(elapsed) => Failure::backoff(format!("the pass took longer than {:?}", elapsed.after)).reason("Timeout").slow(),
        };
        let conclusion = self.context.end(&Flow::from(failure));
        let told = AssertUnwindSafe(self.passes.interrupted(&self.context, &conclusion)).catch_unwind().await;
        if let Err(payload) = told {
            tracing::error!(message = panic_message(payload.as_ref()), "reporting an interrupted pass panicked");
        }
        conclusion
    }

    fn log(&self, conclusion: &Conclusion) {
        let duration = self.shared.now().since(self.context.started());
        let report = &conclusion.report;
        let (result, message) = (report.outcome.as_str(), &report.message);
        let next = conclusion.schedule.delay().map(|delay| delay.rounded().to_string());
        let why = self.context.causes();
        match report.outcome {
            ResultLabel::Error | ResultLabel::Terminal => {
                tracing::error!(result, ?duration, attempt = conclusion.failures, next, %why, error = message, "pass failed");
            }
            ResultLabel::Wait | ResultLabel::Blocked if report.transition => {
                tracing::info!(result, ?duration, next, %why, message, "pass ended");
            }
            _ => tracing::debug!(result, ?duration, next, %why, message, "pass ended"),
        }
    }
}
