//! The handling of answers to requests and of watch events, about the lease of an elector and about overlapping ones.

use super::Elector;
use super::phase::{ElectorPhase, LeaseRequest, TermStage};
use crate::lease::observation::KnownLease;
use crate::lease::{LeaseAnswer, ObservedLease, Output, Overlap, Term};
use crate::time::Moment;

impl Elector {
    pub(super) fn watched(&mut self, lease: Option<ObservedLease>, now: Moment, outputs: &mut Vec<Output>) {
        match lease {
            Some(lease) => {
                let is_new = self.lease().is_none_or(|known| known.resource_version != lease.resource_version);
                if self.lease.learn(lease, now) {
                    // The last write may have collided with this version.
                    self.reads_live &= !is_new;
                    self.end_if_other_holds(now, outputs);
                    self.try_if_free(now, outputs);
                }
            }
            // An old deletion event may arrive after the lease was created again. A holder asks the server; a waiting replica notices when it tries
            // to create the lease.
            None => match self.phase {
                ElectorPhase::Waiting => {
                    self.lease.learn_absent(now);
                    self.reads_live = false;
                    self.try_if_free(now, outputs);
                }
                ElectorPhase::Holding { .. } if self.in_flight.is_none() => self.send_read(true, outputs),
                _ => {}
            },
        }
    }

    pub(super) fn read(&mut self, answer: LeaseAnswer<Option<ObservedLease>>, now: Moment, outputs: &mut Vec<Output>) {
        if self.in_flight != Some(LeaseRequest::Read) {
            return;
        }
        self.in_flight = None;
        match answer {
            LeaseAnswer::Ok(lease) => {
                self.is_unsure = false;
                self.reads_live = false;
                match lease {
                    Some(lease) => _ = self.lease.learn(lease, now),
                    None => self.lease.learn_absent(now),
                }
                match &mut self.phase {
                    // This replica still holds the lease, so it writes again.
                    ElectorPhase::Holding { renew, .. } => *renew = now,
                    _ => self.wait(now),
                }
                self.end_if_other_holds(now, outputs);
                self.try_if_free(now, outputs);
            }
            LeaseAnswer::Conflict | LeaseAnswer::Error => {
                self.reads_live = true;
                if self.stopping && matches!(self.phase, ElectorPhase::Waiting) {
                    // No further request helps for a lease that may have been gained: it expires by itself.
                    self.is_unsure = false;
                    self.lease = KnownLease::default();
                } else {
                    self.wait(now);
                }
            }
        }
    }

    pub(super) fn written(&mut self, answer: LeaseAnswer<ObservedLease>, now: Moment, outputs: &mut Vec<Output>) {
        let Some(request @ (LeaseRequest::Gain | LeaseRequest::Renew { .. } | LeaseRequest::Release)) = self.in_flight else {
            return;
        };
        self.in_flight = None;
        let is_conflict = answer == LeaseAnswer::Conflict;
        if let LeaseAnswer::Ok(lease) = answer {
            self.is_unsure = false;
            self.lease.learn(lease, now);
        } else {
            self.is_unsure = true;
            self.reads_live = true;
        }
        match (request, self.phase) {
            (LeaseRequest::Gain, ElectorPhase::Acquiring { sent }) => {
                self.phase = ElectorPhase::Waiting;
                let term = self.term_from(sent);
                match term.filter(|term| !self.is_unsure && now < term.valid_until) {
                    Some(term) => self.hold(term, sent, now, outputs),
                    None => self.wait(now),
                }
            }
            (LeaseRequest::Renew { sent }, ElectorPhase::Holding { stage, renew, .. }) => {
                if is_conflict {
                    self.send_read(true, outputs);
                } else if let Some(term) = self.term_from(sent).filter(|_| !self.is_unsure) {
                    self.phase = ElectorPhase::Holding { term, stage, renew };
                    outputs.push(Output::Renewed(term));
                }
            }
            (LeaseRequest::Release, _) if self.stopping => {
                // A failed release needs no retry, because the lease expires by itself.
                self.is_unsure = false;
                self.lease = KnownLease::default();
            }
            (LeaseRequest::Release, _) => {
                self.wait(now);
                self.not_before = self.wake;
            }
            _ => {}
        }
        self.end_if_other_holds(now, outputs);
    }

    pub(super) fn checked(&mut self, answer: LeaseAnswer<Option<Overlap>>, now: Moment, outputs: &mut Vec<Output>) {
        if self.in_flight != Some(LeaseRequest::Check) {
            return;
        }
        self.in_flight = None;
        let ElectorPhase::Holding { term, stage: TermStage::Checking(_), renew } = self.phase else { return };
        match answer {
            LeaseAnswer::Ok(overlap) => {
                self.overlap = overlap;
                if self.overlaps(now) {
                    self.phase = ElectorPhase::Waiting;
                    self.wait(now);
                    self.send_release(outputs);
                } else {
                    self.phase = ElectorPhase::Holding { term, stage: TermStage::Promoting { failures: 0 }, renew };
                    outputs.push(Output::Promote(term));
                }
            }
            LeaseAnswer::Conflict | LeaseAnswer::Error => {
                let again = TermStage::Checking(now + self.timing.retry_period());
                self.phase = ElectorPhase::Holding { term, stage: again, renew };
            }
        }
    }

    /// Ends the term if another replica holds the observed lease (LDR-22).
    pub(super) fn end_if_other_holds(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        if matches!(self.phase, ElectorPhase::Holding { .. }) && !self.is_ours() {
            self.lose(now, outputs);
        }
    }

    /// Returns the term of a write that was sent at this time, and whose record is known.
    fn term_from(&self, sent: Moment) -> Option<Term> {
        let record = &self.lease()?.record;
        (record.holder == self.identity).then(|| Term {
            epoch: u64::from(record.transitions),
            valid_until: sent + self.timing.renew_deadline(),
            safe_until: sent + self.timing.lease_duration(),
        })
    }

    /// Returns true if this replica holds the lease as last observed, even if its term is over.
    pub fn is_ours(&self) -> bool {
        self.lease().is_some_and(|lease| lease.record.holder == self.identity)
    }

    pub(super) fn overlaps(&self, now: Moment) -> bool {
        self.overlap.as_ref().is_some_and(|overlap| now < overlap.until)
    }
}
