//! The limits of a controller, derived from its current timing.

use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::flow::Limits;
use parking_lot::{Mutex, MutexGuard};

use crate::config::CurrentTiming;

/// The limits that the passes of a controller share. A changed timing takes effect the next time they are used (RTY-22).
pub(super) struct CurrentLimits {
    timing: CurrentTiming,
    limits: Mutex<Of>,
}

/// The limits, and the timing from which they are derived.
struct Of {
    timing: Arc<Timing>,
    limits: Limits,
}

impl CurrentLimits {
    /// Creates the limits of a timing; the seed decides the jitter.
    pub(super) fn new(timing: CurrentTiming, seed: u64) -> Self {
        let now = timing.get();
        let limits = Limits::new((*now).clone(), seed);
        Self { timing, limits: Mutex::new(Of { timing: now, limits }) }
    }

    pub(super) fn lock(&self) -> impl std::ops::DerefMut<Target = Limits> + '_ {
        let now = self.timing.get();
        let mut of = self.limits.lock();
        if !Arc::ptr_eq(&now, &of.timing) {
            of.limits.set_timing((*now).clone());
            of.timing = now;
        }
        MutexGuard::map(of, |of| &mut of.limits)
    }
}
