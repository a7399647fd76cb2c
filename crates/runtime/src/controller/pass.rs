//! What a pass knows of itself.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright_core::flow::{Conclusion, Delay, Flow, KeyMemory, Pass, Prior, conclude};
use kubewright_core::time::Moment;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::shared::Shared;
use super::{Enqueue, Key};

/// One pass of a reconciler.
pub struct PassContext {
    shared: Arc<Shared>,
    key: Key,
    started: Moment,
    cancelled: CancellationToken,
    recheck: Mutex<Option<Delay>>,
    forgotten: AtomicBool,
}

impl PassContext {
    pub(super) fn new(shared: Arc<Shared>, key: Key, started: Moment, cancelled: CancellationToken) -> Self {
        Self { shared, key, started, cancelled, recheck: Mutex::new(None), forgotten: AtomicBool::new(false) }
    }

    /// The object that the pass is about.
    pub fn key(&self) -> &Key {
        &self.key
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
    pub fn enqueue(&self) -> Enqueue {
        Enqueue::new(self.shared.clone())
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

    /// What an outcome means for queue, conditions, event and metrics. Counts it, so it is called once per pass.
    ///
    /// A pass that was cancelled records nothing, whatever its outcome.
    pub fn conclude(&self, outcome: &Flow, prior: &Prior) -> Conclusion {
        if self.cancelled.is_cancelled() {
            return Conclusion::cancelled();
        }
        let pass = Pass { started: self.started, ended: self.shared.now(), recheck: *self.recheck.lock() };
        let mut limits = self.shared.limits.lock();
        if self.forgotten.load(Ordering::Relaxed) {
            // Nothing may be remembered of what is gone.
            return conclude(outcome, &mut KeyMemory::default(), prior, &mut limits, &pass);
        }
        self.shared.memory(&self.key, |memory| conclude(outcome, memory, prior, &mut limits, &pass))
    }
}

impl fmt::Debug for PassContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassContext").field("key", &self.key).field("started", &self.started).finish_non_exhaustive()
    }
}
