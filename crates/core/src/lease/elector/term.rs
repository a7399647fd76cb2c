//! The course of a term: its hooks and passes in order, and its end (LDR-24 to LDR-26).

use std::time::Duration;

use super::Elector;
use super::phase::{ElectorPhase, RemainingTermStep, TermStage};
use crate::backoff::Policy;
use crate::lease::{Output, Term};
use crate::time::Moment;

/// Returns the delay before a promotion is tried again after this number of consecutive failures: 1 s, growing to 30 s.
pub fn promotion_delay(failures: u32) -> Duration {
    Policy::new(Duration::from_secs(1), Duration::from_secs(30)).nominal(failures).as_duration()
}

impl Elector {
    pub(super) fn hold(&mut self, term: Term, sent: Moment, now: Moment, outputs: &mut Vec<Output>) {
        // A stopping replica releases a lease that it has just gained.
        if self.stopping {
            return;
        }
        let stage = if self.guarded { TermStage::Checking(now) } else { TermStage::Promoting { failures: 0 } };
        self.phase = ElectorPhase::Holding { term, stage, renew: sent + self.timing.retry_period() };
        if !self.guarded {
            outputs.push(Output::Promote(term));
        }
    }

    pub(super) fn promoted(&mut self, succeeded: bool, now: Moment, outputs: &mut Vec<Output>) {
        match self.phase {
            ElectorPhase::Holding { term, stage: TermStage::Promoting { failures }, renew } => {
                let failures = failures + u32::from(!succeeded);
                let stage = match (succeeded, self.stopping) {
                    (true, false) => {
                        outputs.push(Output::Activate(term));
                        TermStage::Active
                    }
                    (true, true) => {
                        outputs.extend([Output::CancelTerm, Output::Demote]);
                        TermStage::Demoting
                    }
                    (false, false) => TermStage::PromotingAgain { failures, at: now + promotion_delay(failures) },
                    (false, true) => {
                        outputs.push(Output::CancelTerm);
                        self.phase = ElectorPhase::Waiting;
                        return;
                    }
                };
                self.phase = ElectorPhase::Holding { term, stage, renew };
            }
            ElectorPhase::Losing(RemainingTermStep::Promotion) if succeeded => {
                self.phase = ElectorPhase::Losing(RemainingTermStep::Demotion);
                outputs.push(Output::Demote);
            }
            ElectorPhase::Losing(RemainingTermStep::Promotion) => self.start_over(now),
            _ => {}
        }
    }

    pub(super) fn drained(&mut self, outputs: &mut Vec<Output>) {
        match &mut self.phase {
            ElectorPhase::Losing(step @ RemainingTermStep::Passes) => {
                *step = RemainingTermStep::Demotion;
                outputs.push(Output::Demote);
            }
            ElectorPhase::Holding { stage: stage @ TermStage::Active, .. } if self.stopping => {
                *stage = TermStage::Demoting;
                outputs.extend([Output::CancelTerm, Output::Demote]);
            }
            _ => {}
        }
    }

    pub(super) fn demoted(&mut self, now: Moment) {
        if let ElectorPhase::Losing(RemainingTermStep::Demotion) | ElectorPhase::Holding { stage: TermStage::Demoting, .. } =
            self.phase
        {
            self.start_over(now);
        }
    }

    pub(super) fn shut_down(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        self.stopping = true;
        match self.phase {
            ElectorPhase::Holding { stage: TermStage::Checking(_), .. } => self.start_over(now),
            ElectorPhase::Holding { stage: TermStage::PromotingAgain { .. }, .. } => {
                outputs.push(Output::CancelTerm);
                self.start_over(now);
            }
            _ => {}
        }
    }

    /// Ends the term. Its bucket, passes and hooks end one after the other.
    pub(super) fn lose(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        let ElectorPhase::Holding { stage, .. } = self.phase else { return };
        let step = match stage {
            TermStage::Checking(_) => None,
            TermStage::PromotingAgain { .. } => {
                outputs.push(Output::CancelTerm);
                None
            }
            TermStage::Promoting { .. } => {
                outputs.push(Output::CancelTerm);
                Some(RemainingTermStep::Promotion)
            }
            TermStage::Active => {
                outputs.push(Output::CancelTerm);
                Some(RemainingTermStep::Passes)
            }
            TermStage::Demoting => Some(RemainingTermStep::Demotion),
        };
        match step {
            Some(step) => self.phase = ElectorPhase::Losing(step),
            None => self.start_over(now),
        }
    }

    /// Campaigns again, or ends when the replica stops.
    pub(super) fn start_over(&mut self, now: Moment) {
        self.phase = ElectorPhase::Waiting;
        self.reads_live = true;
        self.wake = now;
    }
}
