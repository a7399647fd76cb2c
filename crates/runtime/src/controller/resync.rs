//! The safety resync: everything is looked at again now and then (RUN-7).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::Key;

use super::QueueHandle;
use crate::clock::Clock;

/// The part of the period over which keys are spread: one in twenty.
const SPREAD: u32 = 20;

/// Queues all keys every period.
#[derive(Clone)]
pub(super) struct Resync {
    pub(super) period: Duration,
    pub(super) keys: Arc<dyn Fn() -> Vec<Key> + Send + Sync>,
}

impl Resync {
    /// Never ends on its own.
    pub(super) async fn run(self, clock: Clock, queue: QueueHandle) {
        let mut next = clock.moment() + self.period;
        loop {
            clock.sleep_until(next).await;
            let keys = (self.keys)();
            let count = u32::try_from(keys.len()).unwrap_or(u32::MAX).max(1);
            tracing::debug!(keys = keys.len(), "resync");
            for (number, key) in keys.into_iter().enumerate() {
                let share = (self.period / SPREAD / count).saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
                clock.sleep_until(next + share).await;
                queue.because(key, Lane::Slow, QueuedBy::Resync);
            }
            next = next + self.period;
        }
    }
}

impl fmt::Debug for Resync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resync").field("period", &self.period).finish_non_exhaustive()
    }
}
