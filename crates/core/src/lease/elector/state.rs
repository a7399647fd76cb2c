//! The elector and its reactions to inputs.

use std::sync::Arc;
use std::time::Duration;

use super::phase::{ElectorPhase, LeaseRequest, TermStage};
use crate::backoff::Rng;
use crate::lease::observation::KnownLease;
use crate::lease::{Input, LeaseTiming, ObservedLease, Output, Overlap, Term};
use crate::time::Moment;

/// Decides for one replica and one bucket when to write the lease, and when the replica leads the bucket.
///
/// [`handle`](Self::handle) takes an input and returns the outputs that it causes. At most one request is in flight; promotion and demotion of a term
/// are strictly ordered, and a new term starts after the demotion of the old one.
#[derive(Clone, Debug)]
pub struct Elector {
    pub(super) identity: Arc<str>,
    pub(super) timing: LeaseTiming,
    pub(super) guarded: bool,
    pub(super) rng: Rng,
    pub(super) phase: ElectorPhase,
    pub(super) in_flight: Option<LeaseRequest>,
    pub(super) lease: KnownLease,
    /// True if a write may have been executed although its answer did not confirm it.
    pub(super) is_unsure: bool,
    /// True if the next read must ask the API server itself, because the known version of the lease has proved wrong.
    pub(super) reads_live: bool,
    pub(super) overlap: Option<Overlap>,
    pub(super) has_room: bool,
    /// The earliest time at which the lease may be gained.
    pub(super) not_before: Moment,
    pub(super) wake: Moment,
    pub(super) stopping: bool,
    pub(super) timer: Option<Moment>,
}

/// The stage of a replica's election for a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// Another replica holds the lease, or this one is about to try for it.
    Waiting,
    /// The write that gains the lease is in flight.
    Acquiring,
    /// This replica holds the lease, but the bucket is not active yet.
    Promoting,
    /// This replica holds the lease, and the bucket is active.
    Leading,
    /// The term is over; its passes or hooks are still running.
    Losing,
    /// The elector has ended.
    Released,
}

impl Elector {
    /// Creates an elector that has not started. `identity` names the process. If `guarded` is true, overlapping leases are checked for before each
    /// promotion (LDR-33), which a lease set without relatives does not need.
    pub fn new(identity: impl Into<Arc<str>>, timing: LeaseTiming, guarded: bool, seed: u64) -> Self {
        Self {
            identity: identity.into(),
            timing,
            guarded,
            rng: Rng::seeded(seed),
            phase: ElectorPhase::Waiting,
            in_flight: None,
            lease: KnownLease::default(),
            is_unsure: false,
            reads_live: false,
            overlap: None,
            has_room: true,
            not_before: Moment::START,
            wake: Moment(Duration::MAX),
            stopping: false,
            timer: None,
        }
    }

    /// Returns the stage of the election.
    pub fn state(&self) -> LeaseState {
        match self.phase {
            ElectorPhase::Waiting => LeaseState::Waiting,
            ElectorPhase::Acquiring { .. } => LeaseState::Acquiring,
            ElectorPhase::Holding { stage: TermStage::Active, .. } => LeaseState::Leading,
            ElectorPhase::Losing(_) | ElectorPhase::Holding { stage: TermStage::Demoting, .. } => LeaseState::Losing,
            ElectorPhase::Holding { .. } => LeaseState::Promoting,
            ElectorPhase::Released => LeaseState::Released,
        }
    }

    /// Returns the term, from its gain until it is cancelled. It is over at its end even if the elector has not received an input since.
    pub fn term(&self, now: Moment) -> Option<Term> {
        match self.phase {
            ElectorPhase::Holding { stage: TermStage::Demoting, .. } => None,
            ElectorPhase::Holding { term, .. } if now < term.valid_until => Some(term),
            _ => None,
        }
    }

    /// Returns the lease as last observed.
    pub fn lease(&self) -> Option<&ObservedLease> {
        self.lease.seen()
    }

    /// Processes an input, and returns the outputs that it causes.
    pub fn handle(&mut self, input: Input, now: Moment) -> Vec<Output> {
        let mut outputs = Vec::new();
        if matches!(self.phase, ElectorPhase::Released) {
            return outputs;
        }
        // A term that has ended is lost before the input is processed (LDR-22).
        if let ElectorPhase::Holding { term, .. } = self.phase
            && now >= term.valid_until
        {
            self.lose(now, &mut outputs);
        }
        match input {
            Input::Start => self.wake = now,
            // The timer is set again even if it fired too early.
            Input::Timer => self.timer = None,
            Input::Watched(lease) => self.watched(lease, now, &mut outputs),
            Input::Read(answer) => self.read(answer, now, &mut outputs),
            Input::Written(answer) => self.written(answer, now, &mut outputs),
            Input::Overlap(overlap) => {
                self.overlap = overlap;
                self.try_if_free(now, &mut outputs);
            }
            Input::OverlapChecked(answer) => self.checked(answer, now, &mut outputs),
            Input::Room(has_room) => {
                self.has_room = has_room;
                self.try_if_free(now, &mut outputs);
            }
            Input::Promoted(succeeded) => self.promoted(succeeded, now, &mut outputs),
            Input::Drained => self.drained(&mut outputs),
            Input::Demoted => self.demoted(now),
            Input::TermEnded => self.lose(now, &mut outputs),
            Input::Shutdown => self.shut_down(now, &mut outputs),
        }
        self.act(now, &mut outputs);
        self.set_timer(&mut outputs);
        outputs
    }
}
