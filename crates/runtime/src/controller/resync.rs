//! The safety resync, which periodically reconciles every object again (RUN-7).

use std::time::Duration;

use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;

use super::QueueHandle;
use super::buckets::KeySource;
use crate::clock::Clock;

/// The fraction of the period over which keys are spread: one in twenty.
const SPREAD: u32 = 20;

/// Queues all keys every period. Never ends on its own.
pub(super) async fn run(period: Duration, keys: &KeySource, clock: &Clock, queue: &QueueHandle) {
    let mut next = clock.moment() + period;
    loop {
        clock.sleep_until(next).await;
        let keys = keys.keys();
        let count = u32::try_from(keys.len()).unwrap_or(u32::MAX).max(1);
        tracing::debug!(keys = keys.len(), "resync");
        for (number, key) in keys.into_iter().enumerate() {
            let share = (period / SPREAD / count).saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
            clock.sleep_until(next + share).await;
            queue.because(key, Lane::Slow, QueuedBy::Resync);
        }
        next = next + period;
    }
}
