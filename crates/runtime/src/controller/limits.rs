//! The limits of a controller, by the timing as it is now.

use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::flow::Limits;
use parking_lot::{Mutex, MutexGuard};

use crate::config::CurrentTiming;

/// The limits that the passes of a controller share. A replaced timing counts from the next look on (RTY-22).
pub(super) struct CurrentLimits {
    timing: CurrentTiming,
    limits: Mutex<Of>,
}

/// Limits, and the timing that they follow from.
struct Of {
    timing: Arc<Timing>,
    limits: Limits,
}

impl CurrentLimits {
    /// The limits that follow from a timing; the seed decides the jitter.
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
