//! The number of passes of one object while a fault lasts.

use std::time::Duration;

use kubewright_core::backoff::Timing;

use super::lasting::LastingFault;

/// The kind of reconciler, which decides when its passes are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// The engine of components: retries after delays of 1 s, doubled up to a minute, whatever events arrive meanwhile.
    Component,
    /// A hand-written reconciler: retries after the delays of [`Timing::failures`], after exactly the delay that a server asks
    /// for, and with each event of another object.
    HandWritten {
        /// The largest number of objects whose passes write one object in the same step.
        writers: usize,
        /// The largest number of passes of one object that events of other objects start during the steps.
        events: usize,
    },
}

impl Pace {
    /// Returns the largest number of additional writes of one object by repeated passes while a fault lasts; `objects` is the number of written objects.
    pub(super) fn most_writes(self, fault: LastingFault, lasts: Duration, objects: usize) -> usize {
        // A pass of the engine, also within a hand-written reconciler, tries each write three times.
        let of_engine = 3 * LastingFault::most_passes(lasts);
        match self {
            Self::Component => of_engine,
            Self::HandWritten { writers, events } => {
                let delays = Timing::default().failures;
                let passes = (1..).scan(Duration::ZERO, |passed, failures| {
                    *passed += delays.nominal(failures).as_duration();
                    Some(*passed)
                });
                let of_delays = 2 + passes.take_while(|passed| *passed < lasts).count();
                let repeated = writers * of_engine.max(of_delays) + fault.most_retries(lasts) + events;
                // Never more than one write a second, or three for each pass of the engine and for each object whose change may start a pass.
                let seconds = usize::try_from(lasts.as_secs()).unwrap_or(usize::MAX);
                repeated.min(seconds.max(of_engine + 3 * objects))
            }
        }
    }
}
