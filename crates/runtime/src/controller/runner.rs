//! The run loop.

use std::fmt;
use std::future;
use std::num::NonZero;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt as _;
use kubewright_core::backoff::{RateLimiter, Timing};
use kubewright_core::flow::{Conclusion, Failure, Flow, Limits, Origin, Outcome};
use kubewright_core::queue::Drain;
use kubewright_machinery::object::Key;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::one_pass::{OnePass, OnePassOutcome};
use super::pass::PassBegin;
use super::resync::Resync;
use super::shared::Shared;
use super::{Causes, PassContext, PassHistory, QueueHandle, RunPass};
use crate::clock::{Clock, Random};
use crate::metrics::{Metrics, QueueStatistics};
use crate::task::{Tasks, panic_message};

/// Passes at once, unless said otherwise.
const WORKERS: usize = 2;
/// A cancelled pass is given this long to end by itself.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// What a controller needs from the process.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The clock.
    pub clock: Clock,
    /// The source of jitter.
    pub random: Random,
    /// Where passes run.
    pub tasks: Tasks,
    /// The registry of metrics.
    pub metrics: Metrics,
    /// Delays and limits.
    pub timing: Timing,
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
    resync: Option<Resync>,
}

impl Runner {
    /// A controller that runs two passes at once, without a limit on their time.
    pub fn new(name: impl Into<String>, passes: Arc<dyn RunPass>, surroundings: Surroundings) -> Self {
        let Surroundings { clock, random, tasks, metrics, timing } = surroundings;
        let limits = Limits::new(timing, random.next_u64());
        let shared = Arc::new(Shared::new(name.into(), clock, metrics.clone(), limits));
        let statistics: Weak<dyn QueueStatistics> = Arc::downgrade(&(shared.clone() as Arc<dyn QueueStatistics>));
        metrics.watch_queue(statistics);
        Self { shared, passes, tasks, random, workers: WORKERS, timeout: None, drain: Drain::FinishInFlight, resync: None }
    }

    /// With another number of passes at once; at least one.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// With a limit on the time of a pass; one that exceeds it has failed.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// With a resync: every period, all these keys are put in the slow lane, spread over a twentieth of the period. Without a period
    /// there is none.
    #[must_use]
    pub fn resync(mut self, period: Option<Duration>, keys: impl Fn() -> Vec<Key> + Send + Sync + 'static) -> Self {
        let period = period.filter(|period| !period.is_zero());
        self.resync = period.map(|period| Resync { period, keys: Arc::new(keys) });
        self
    }

    /// With another way to end: by default running passes end by themselves and queued keys are dropped.
    #[must_use]
    pub fn drain(mut self, drain: Drain) -> Self {
        self.drain = drain;
        self
    }

    /// With another limit on retries (LIM-2).
    #[must_use]
    pub fn limiter(self, limiter: Box<dyn RateLimiter>) -> Self {
        self.shared.limits.lock().set_limiter(limiter);
        self
    }

    /// With another turn of lower lanes; none means that they wait for all higher ones (QUE-6).
    #[must_use]
    pub fn fairness(self, turn: Option<NonZero<u32>>) -> Self {
        self.shared.queue.lock().fairness(turn);
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The handle that queues keys; it works before the controller runs.
    pub fn enqueue(&self) -> QueueHandle {
        QueueHandle::new(self.shared.clone())
    }

    /// The last passes of each key, with what queued them.
    pub fn history(&self) -> PassHistory {
        PassHistory::new(self.shared.clone())
    }

    /// A probe that fails when all workers have been in the same passes for longer than `limit`.
    pub fn stuck_probe(&self, limit: Duration) -> impl Fn() -> Result<(), String> + Send + Sync + use<> {
        let (shared, workers) = (self.shared.clone(), self.workers);
        move || {
            let stuck = shared.is_stuck(workers, limit);
            if stuck { Err(format!("all {workers} workers have been busy with the same objects for {limit:?}")) } else { Ok(()) }
        }
    }

    /// Runs one pass for a key, whether it is queued or not. Nothing is queued by its conclusion.
    #[doc(hidden)]
    pub async fn one_pass(&self, key: Key) -> OnePass {
        let trace = format!("{:016x}{:016x}", self.random.next_u64(), self.random.next_u64()).into();
        let (shared, passes) = (self.shared.clone(), self.passes.clone());
        let begin = PassBegin { key, trace, span: None, started: shared.now(), causes: Causes::default(), before: None };
        let context = Arc::new(PassContext::new(shared.clone(), begin, CancellationToken::new()).keep_outcome());
        let running = Running { passes, shared, timeout: self.timeout, context: Arc::clone(&context) };
        let conclusion = running.conclude().await;
        running.log(&conclusion);
        let (called, outcome) = context.seen();
        OnePass { called, outcome: outcome.unwrap_or(OnePassOutcome::Success), conclusion }
    }

    /// Runs passes until `stop`, then drains. Passes that still run after `deadline` are cancelled.
    pub async fn run(self, stop: CancellationToken, deadline: Duration) {
        let cancel = CancellationToken::new();
        let resync = async {
            match self.resync.clone() {
                Some(resync) => resync.run(self.shared.clock.clone(), self.enqueue()).await,
                None => future::pending().await,
            }
        };
        tokio::pin!(resync);
        loop {
            self.start_passes(&cancel);
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
        self.shared.queue.lock().drain(self.drain);
        if self.drain == Drain::Drop {
            cancel.cancel();
        }
        if self.shared.clock.limit(deadline, self.drained(&cancel)).await.is_err() {
            tracing::warn!(controller = self.name(), ?deadline, "passes still run; they are cancelled");
            cancel.cancel();
            self.shared.queue.lock().drain(Drain::Drop);
            self.drained(&cancel).await;
        }
    }

    async fn drained(&self, cancel: &CancellationToken) {
        loop {
            self.start_passes(cancel);
            if self.shared.queue.lock().is_idle() {
                return;
            }
            self.shared.wake.notified().await;
        }
    }

    fn start_passes(&self, cancel: &CancellationToken) {
        while let Some((key, started, causes)) = self.shared.pop(self.workers) {
            let trace: Arc<str> = format!("{:016x}{:016x}", self.random.next_u64(), self.random.next_u64()).into();
            let span = tracing::info_span!("pass", controller = self.name(), %key, %trace, why = %causes);
            let last = self.shared.last_pass(&key);
            if let Some(before) = last.as_ref().and_then(|last| last.span) {
                span.follows_from(tracing::span::Id::from_non_zero_u64(before));
            }
            let before = last.map(|last| last.trace.clone());
            let id = span.id().map(|id| id.into_non_zero_u64());
            let begin = PassBegin { key, trace, span: id, started, causes, before };
            let context = Arc::new(PassContext::new(self.shared.clone(), begin, cancel.child_token()));
            let running = Running { passes: self.passes.clone(), shared: self.shared.clone(), timeout: self.timeout, context };
            let name = format!("pass of {}", self.shared.name);
            self.tasks.spawn(name, running.run().instrument(span)).detach();
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("name", &self.name()).field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// One pass on its own task.
struct Running {
    passes: Arc<dyn RunPass>,
    shared: Arc<Shared>,
    timeout: Option<Duration>,
    context: Arc<PassContext>,
}

impl Running {
    async fn run(self) {
        let key: &Key = self.context.key();
        let started = self.context.started();
        let conclusion = self.conclude().await;
        self.log(&conclusion);
        self.context.remember(&conclusion);
        self.shared.done(key, started, &conclusion);
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
            // What took so long is not worth a worker all the time.
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
            Outcome::Error | Outcome::Terminal => {
                tracing::error!(result, ?duration, attempt = conclusion.failures, next, %why, error = message, "pass failed");
            }
            Outcome::Wait | Outcome::Blocked if report.transition => {
                tracing::info!(result, ?duration, next, %why, message, "pass ended");
            }
            _ => tracing::debug!(result, ?duration, next, %why, message, "pass ended"),
        }
    }
}
