use std::collections::VecDeque;
use std::time::Duration;

use crate::time::Moment;

/// The limits above which updates of one child count as a hot loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // three numbers
pub struct HotLoopLimits {
    /// The number of updates in the window that is still accepted. Default: 10.
    pub updates: usize,
    /// The time within which updates are counted. Default: 60 s.
    pub window: Duration,
    /// The shortest time between two warnings. Default: 10 min.
    pub quiet: Duration,
}

impl Default for HotLoopLimits {
    fn default() -> Self {
        Self { updates: 10, window: Duration::from_secs(60), quiet: Duration::from_secs(600) }
    }
}

/// The rate at which a child is updated, compared with the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateRate {
    /// The rate is within the limits.
    Fine,
    /// The rate exceeds the limits, and a recent warning said so.
    Hot,
    /// The rate exceeds the limits, and a warning is due now.
    Alarming,
}

/// The recent updates of one child without a change of the owner's generation (KID-18).
#[derive(Clone, Debug, Default)]
pub struct HotLoop {
    generation: Option<i64>,
    updates: VecDeque<Moment>,
    warned: Option<Moment>,
}

impl HotLoop {
    /// Records an update in a pass of this generation of the owner.
    pub fn updated(&mut self, generation: Option<i64>, now: Moment, limits: &HotLoopLimits) -> UpdateRate {
        if self.generation != generation {
            self.generation = generation;
            self.updates.clear();
        }
        self.updates.push_back(now);
        while self.updates.front().is_some_and(|first| now.since(*first) > limits.window) {
            self.updates.pop_front();
        }
        if self.updates.len() <= limits.updates {
            return UpdateRate::Fine;
        }
        // The oldest update can be dropped: the remaining ones suffice to detect the next excess.
        self.updates.pop_front();
        if self.warned.is_some_and(|warned| now.since(warned) < limits.quiet) {
            return UpdateRate::Hot;
        }
        self.warned = Some(now);
        UpdateRate::Alarming
    }
}
