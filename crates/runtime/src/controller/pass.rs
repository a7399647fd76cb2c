//! What a pass knows of itself.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright_core::flow::{Conclusion, Delay, Flow, KeyMemory, Pass, PassReport, Prior, conclude, report};
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::QueueHandle;
use super::shared::Shared;
use crate::metrics::ControllerLabels;

/// One pass of a reconciler.
pub struct PassContext {
    shared: Arc<Shared>,
    key: Key,
    trace: String,
    started: Moment,
    cancelled: CancellationToken,
    recheck: Mutex<Option<Delay>>,
    forgotten: AtomicBool,
}

impl PassContext {
    pub(super) fn new(shared: Arc<Shared>, key: Key, trace: String, started: Moment, cancelled: CancellationToken) -> Self {
        Self { shared, key, trace, started, cancelled, recheck: Mutex::new(None), forgotten: AtomicBool::new(false) }
    }

    /// The object that the pass is about.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The identity of the pass in logs: 32 hexadecimal digits (RUN-3).
    pub fn trace_id(&self) -> &str {
        &self.trace
    }

    /// Counts a panic of the reconciler's code.
    pub fn count_panic(&self) {
        let labels = ControllerLabels { controller: self.shared.name.clone() };
        self.shared.metrics.standard().panics.get_or_create(&labels).inc();
    }

    /// Counts a pass whose object is an own write that no event has told yet.
    pub fn count_read_ahead(&self) {
        let labels = ControllerLabels { controller: self.shared.name.clone() };
        self.shared.metrics.standard().reads_ahead.get_or_create(&labels).inc();
    }

    /// When the pass started.
    pub fn started(&self) -> Moment {
        self.started
    }

    /// Cancelled when the pass should end soon: at shutdown. What it still does is not recorded.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Queues keys of the same controller.
    pub fn enqueue(&self) -> QueueHandle {
        QueueHandle::new(self.shared.clone())
    }

    /// Says which object the key stands for now: what is remembered of another object of the same name is dropped.
    pub fn object(&self, uid: &str) {
        self.shared.memory(&self.key, |memory| {
            memory.of(uid);
        });
    }

    /// The object is gone: what is remembered of it is dropped, and its timers with it.
    pub fn forget(&self) {
        self.forgotten.store(true, Ordering::Relaxed);
        self.shared.forget(&self.key);
    }

    /// The number of failures in a row, before this pass.
    pub fn failures(&self) -> u32 {
        self.shared.memory(&self.key, |memory| memory.failures())
    }

    /// Repeats the pass no later than after this time, whatever its outcome. Several calls: the smallest delay counts.
    pub fn recheck_after(&self, delay: Delay) {
        let mut recheck = self.recheck.lock();
        *recheck = Some(recheck.map_or(delay, |earlier| earlier.min(delay)));
    }

    /// Returns the conditions and the event of an outcome; nothing is counted yet. None for a pass that was cancelled, which tells nothing,
    /// whatever its outcome.
    pub fn report(&self, outcome: &Flow, prior: &Prior) -> Option<PassReport> {
        if self.cancelled.is_cancelled() {
            return None;
        }
        let limits = self.shared.limits.lock();
        Some(self.remembering(|memory| report(outcome, memory, prior, limits.timing())))
    }

    /// Counts an outcome with its report, and says when the key runs again. Called once per pass, after everything is written. A pass that was
    /// cancelled meanwhile counts for nothing.
    pub fn conclude(&self, outcome: &Flow, report: PassReport) -> Conclusion {
        if self.cancelled.is_cancelled() {
            return Conclusion::cancelled();
        }
        let pass = Pass { started: self.started, ended: self.shared.now(), recheck: *self.recheck.lock() };
        let mut limits = self.shared.limits.lock();
        self.remembering(|memory| conclude(outcome, report, memory, &mut limits, &pass))
    }

    /// Reports and counts an outcome at once, for a reconciler whose objects have told of the outcome already.
    pub fn end(&self, outcome: &Flow) -> Conclusion {
        match self.report(outcome, &Prior::Memory) {
            Some(report) => self.conclude(outcome, report),
            None => Conclusion::cancelled(),
        }
    }

    /// Nothing is remembered of what is gone.
    fn remembering<T>(&self, use_it: impl FnOnce(&mut KeyMemory) -> T) -> T {
        if self.forgotten.load(Ordering::Relaxed) {
            return use_it(&mut KeyMemory::default());
        }
        self.shared.memory(&self.key, use_it)
    }
}

impl fmt::Debug for PassContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassContext").field("key", &self.key).field("started", &self.started).finish_non_exhaustive()
    }
}
