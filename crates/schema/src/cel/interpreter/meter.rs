//! The costs that an evaluation has accumulated.

use super::failure::EvaluationFailure;

/// The maximal number of elements that an evaluation may copy besides its charged costs. The real server joins lists without copying them.
const MOST_COPIED: u64 = 10_000_000;

/// The costs so far, and their limit.
#[derive(Debug)]
pub(super) struct Meter {
    cost: u64,
    limit: u64,
    copied: u64,
}

impl Meter {
    pub(super) fn new(limit: u64) -> Self {
        Self { cost: 0, limit, copied: 0 }
    }

    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    /// Charges for a step. Once the limit is exceeded, every call fails.
    pub(super) fn charge(&mut self, cost: u64) -> Result<(), EvaluationFailure> {
        self.cost = self.cost.saturating_add(cost);
        self.check()
    }

    /// Counts copies that the real server does not make.
    pub(super) fn work(&mut self, copies: u64) -> Result<(), EvaluationFailure> {
        self.copied = self.copied.saturating_add(copies);
        if self.copied > MOST_COPIED {
            self.cost = self.cost.max(self.limit.saturating_add(1));
        }
        self.check()
    }

    pub(super) fn check(&self) -> Result<(), EvaluationFailure> {
        if self.cost > self.limit { Err(EvaluationFailure::TooDear) } else { Ok(()) }
    }
}
