//! The host of charts: the time and the randomness of this machine, and no cluster.

use std::cell::Cell;

use jiff::Timestamp;
use kubewright_chart::{ChartHost, OfflineHost};

/// A host without a cluster whose randomness is that of the operating system.
#[derive(Debug)]
pub(crate) struct SystemHost {
    now: Timestamp,
    /// The reason why the system gave no random bytes. The result must not be used then.
    problem: Cell<Option<getrandom::Error>>,
}

impl SystemHost {
    pub(crate) const fn new(now: Timestamp) -> Self {
        Self { now, problem: Cell::new(None) }
    }

    /// Returns the reason why the system gave no random bytes, if a template asked for some.
    pub(crate) fn problem(&self) -> Option<getrandom::Error> {
        self.problem.get()
    }
}

impl ChartHost for SystemHost {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            // Functions take other bytes until they like some, so that constant ones might never end.
            OfflineHost::default().fill_random(buffer);
            self.problem.set(Some(error));
        }
    }
}
