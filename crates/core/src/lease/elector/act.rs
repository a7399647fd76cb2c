//! The requests of an elector that are due, and the time of the next ones.

use std::time::Duration;

use super::Elector;
use super::phase::{ElectorPhase, LeaseRequest, TermStage};
use crate::lease::{LeaseWrite, Output};
use crate::time::Moment;

impl Elector {
    /// Sends the request that is due, unless one is in flight.
    pub(super) fn act(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        if let ElectorPhase::Holding { term, stage: TermStage::PromotingAgain { failures, at }, renew } = self.phase
            && now >= at
        {
            self.phase = ElectorPhase::Holding { term, stage: TermStage::Promoting { failures }, renew };
            outputs.push(Output::Promote(term));
        }
        if self.in_flight.is_some() {
            return;
        }
        match self.phase {
            ElectorPhase::Waiting if self.stopping => {
                if self.is_unsure {
                    self.send_read(true, outputs);
                } else if self.is_ours() {
                    self.send_release(outputs);
                } else {
                    self.phase = ElectorPhase::Released;
                    outputs.push(Output::Released);
                }
            }
            ElectorPhase::Waiting if now >= self.wake => self.send_read(self.reads_live, outputs),
            ElectorPhase::Holding { stage: TermStage::Checking(at), .. } if now >= at => {
                self.in_flight = Some(LeaseRequest::Check);
                outputs.push(Output::CheckOverlap);
            }
            ElectorPhase::Holding { renew, .. } if now >= renew => self.send_renewal(now, outputs),
            _ => {}
        }
    }

    /// Gains the lease if it has no holder, and no limit keeps this replica from it.
    pub(super) fn try_if_free(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        // After a failed write the known version of the lease is outdated; without a new read every further try would fail.
        let is_ready =
            matches!(self.phase, ElectorPhase::Waiting) && self.in_flight.is_none() && !self.stopping && !self.reads_live;
        if !is_ready || now < self.not_before || self.overlaps(now) {
            return;
        }
        let Some(free_since) = self.lease.free_since(&self.identity, self.timing, now) else { return };
        // A replica that has its share waits, so that one with fewer buckets can take this one first.
        if !self.has_room && !self.is_ours() && now.since(free_since) < self.timing.lease_duration().saturating_mul(2) {
            return;
        }
        let last = self.lease();
        let write = LeaseWrite::gain(&self.identity, self.timing.stated_seconds(), last.map(|lease| &lease.record));
        outputs.push(match last {
            None => Output::Create(write),
            Some(lease) => Output::Update(write, lease.clone()),
        });
        self.in_flight = Some(LeaseRequest::Gain);
        self.phase = ElectorPhase::Acquiring { sent: now };
    }

    pub(super) fn send_read(&mut self, live: bool, outputs: &mut Vec<Output>) {
        self.in_flight = Some(LeaseRequest::Read);
        outputs.push(Output::Read { live });
    }

    fn send_renewal(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        let Some(lease) = self.lease.seen() else { return };
        let write = LeaseWrite::gain(&self.identity, self.timing.stated_seconds(), Some(&lease.record));
        outputs.push(Output::Update(write, lease.clone()));
        self.in_flight = Some(LeaseRequest::Renew { sent: now });
        if let ElectorPhase::Holding { renew, .. } = &mut self.phase {
            *renew = now + self.timing.retry_period();
        }
    }

    pub(super) fn send_release(&mut self, outputs: &mut Vec<Output>) {
        let Some(lease) = self.lease.seen() else { return };
        outputs.push(Output::Release(LeaseWrite::release(&lease.record), lease.clone()));
        self.in_flight = Some(LeaseRequest::Release);
    }

    /// Sets the time of the next try: after a jittered retry period, or soon after the holder's lease ends, so that the bucket of a crashed holder is
    /// taken within lease duration and retry period.
    pub(super) fn wait(&mut self, now: Moment) {
        let retry = self.timing.retry_period();
        self.wake = now + retry.mul_f64(1.0 + 1.2 * self.rng.unit());
        if let Some(expires) = self.lease.expires(&self.identity, self.timing).filter(|expires| *expires > now) {
            self.wake = self.wake.min(expires + retry.mul_f64(0.5 * self.rng.unit()));
        }
    }

    pub(super) fn set_timer(&mut self, outputs: &mut Vec<Output>) {
        let idle = self.in_flight.is_none();
        let next = match self.phase {
            ElectorPhase::Waiting if idle => Some(self.wake),
            ElectorPhase::Holding { term, stage, renew } => {
                let stage = match stage {
                    TermStage::Checking(at) if idle => Some(at),
                    TermStage::PromotingAgain { at, .. } => Some(at),
                    _ => None,
                };
                let renew = idle.then_some(renew);
                [Some(term.valid_until), stage, renew].into_iter().flatten().min()
            }
            _ => None,
        };
        if next != self.timer {
            self.timer = next;
            outputs.extend(next.filter(|at| *at < Moment(Duration::MAX)).map(Output::Timer));
        }
    }
}
