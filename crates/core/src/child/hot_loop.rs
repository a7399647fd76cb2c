use std::collections::VecDeque;
use std::time::Duration;

use crate::time::Moment;

/// The limits above which updates of one child count as a hot loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // three numbers
pub struct HotLoopLimits {
    /// The number of updates that is still fine; 10 by default.
    pub updates: usize,
    /// The time within which they are counted; 60 s by default.
    pub window: Duration,
    /// The shortest time between two warnings; 10 min by default.
    pub quiet: Duration,
}

impl Default for HotLoopLimits {
    fn default() -> Self {
        Self { updates: 10, window: Duration::from_secs(60), quiet: Duration::from_secs(600) }
    }
}

/// How often a child is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateRate {
    /// Not too often.
    Fine,
    /// More often than the limits allow, which was warned of not long ago.
    Hot,
    /// More often than the limits allow, which is to be warned of now.
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
    /// Notes an update in a pass of this generation of the owner.
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
        // More are not needed to know that the limit is exceeded.
        self.updates.pop_front();
        if self.warned.is_some_and(|warned| now.since(warned) < limits.quiet) {
            return UpdateRate::Hot;
        }
        self.warned = Some(now);
        UpdateRate::Alarming
    }
}
