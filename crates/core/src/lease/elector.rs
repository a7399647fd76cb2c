//! The election of one bucket, as one replica sees it (LDR-20 to LDR-26).

use std::sync::Arc;
use std::time::Duration;

use super::observation::KnownLease;
use super::protocol::{Answer, Input, Output, Term};
use super::{LeaseTiming, LeaseWrite, ObservedLease, Overlap};
use crate::backoff::{Policy, Rng};
use crate::time::Moment;

/// Decides for one replica and one bucket when to write the lease, and when the bucket is ours.
///
/// [`handle`](Self::handle) takes what happened and returns what to do. At most one request is in flight; promotion and demotion of a term
/// are strictly ordered, and a new term starts after the demotion of the old one.
#[derive(Clone, Debug)]
pub struct Elector {
    identity: Arc<str>,
    timing: LeaseTiming,
    guarded: bool,
    rng: Rng,
    phase: Phase,
    in_flight: Option<Request>,
    lease: KnownLease,
    /// Whether a write may have been done without an answer that said so.
    is_unsure: bool,
    /// Whether the next read must ask the API server itself, because what is known of the lease has proved wrong.
    reads_live: bool,
    overlap: Option<Overlap>,
    has_room: bool,
    /// Nothing is gained before.
    not_before: Moment,
    wake: Moment,
    stopping: bool,
    timer: Option<Moment>,
}

/// What a replica is doing about a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// Somebody else holds the lease, or it is about to be tried for.
    Waiting,
    /// The write that gains the lease is in flight.
    Acquiring,
    /// The lease is ours, the bucket not active yet.
    Promoting,
    /// The lease is ours, and the bucket is active.
    Leading,
    /// The term is over; its passes or hooks are still running.
    Losing,
    /// The elector has ended.
    Released,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Before the start, too.
    Waiting,
    Acquiring {
        sent: Moment,
    },
    Holding {
        term: Term,
        stage: Stage,
        renew: Moment,
    },
    Losing(Ending),
    Released,
}

/// How far the promotion of a term is, or its demotion at shutdown.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Whether no overlapping lease appeared is looked up, from this time on.
    Checking(Moment),
    Promoting {
        failures: u32,
    },
    /// The hook failed and runs again at this time.
    PromotingAgain {
        failures: u32,
        at: Moment,
    },
    Active,
    Demoting,
}

/// What a term that is over still waits for.
#[derive(Clone, Copy, Debug)]
enum Ending {
    Promotion,
    Passes,
    Demotion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Read,
    Gain,
    Renew { sent: Moment },
    Release,
    Check,
}

impl Elector {
    /// An elector that has not started. `identity` names the process; `guarded` says that overlapping leases are looked up before each
    /// promotion (LDR-33), which a lease set without relatives does not need.
    pub fn new(identity: impl Into<Arc<str>>, timing: LeaseTiming, guarded: bool, seed: u64) -> Self {
        Self {
            identity: identity.into(),
            timing,
            guarded,
            rng: Rng::seeded(seed),
            phase: Phase::Waiting,
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

    /// What the replica is doing about the bucket.
    pub fn state(&self) -> LeaseState {
        match self.phase {
            Phase::Waiting => LeaseState::Waiting,
            Phase::Acquiring { .. } => LeaseState::Acquiring,
            Phase::Holding { stage: Stage::Active, .. } => LeaseState::Leading,
            Phase::Losing(_) | Phase::Holding { stage: Stage::Demoting, .. } => LeaseState::Losing,
            Phase::Holding { .. } => LeaseState::Promoting,
            Phase::Released => LeaseState::Released,
        }
    }

    /// The term, from its gain until it is cancelled. It is over at its end even before the elector is told anything.
    pub fn term(&self, now: Moment) -> Option<Term> {
        match self.phase {
            Phase::Holding { stage: Stage::Demoting, .. } => None,
            Phase::Holding { term, .. } if now < term.valid_until => Some(term),
            _ => None,
        }
    }

    /// The lease as it was seen last.
    pub fn lease(&self) -> Option<&ObservedLease> {
        self.lease.seen()
    }

    /// Takes what happened, and returns what to do.
    pub fn handle(&mut self, input: Input, now: Moment) -> Vec<Output> {
        let mut outputs = Vec::new();
        if matches!(self.phase, Phase::Released) {
            return outputs;
        }
        // Whatever happened meanwhile: a term that ended is over before anything else is looked at (LDR-22).
        if let Phase::Holding { term, .. } = self.phase
            && now >= term.valid_until
        {
            self.lose(now, &mut outputs);
        }
        match input {
            Input::Start => self.wake = now,
            // It is set anew even if it fired too early.
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
            Input::Shutdown => self.shut_down(now, &mut outputs),
        }
        self.act(now, &mut outputs);
        self.set_timer(&mut outputs);
        outputs
    }

    fn watched(&mut self, lease: Option<ObservedLease>, now: Moment, outputs: &mut Vec<Output>) {
        match lease {
            Some(lease) => {
                let is_new = self.lease().is_none_or(|known| known.resource_version != lease.resource_version);
                if self.lease.learn(lease, now) {
                    // What the last write ran into may be this.
                    self.reads_live &= !is_new;
                    self.end_if_other_holds(now, outputs);
                    self.try_if_free(now, outputs);
                }
            }
            // An old event may come after the lease was created again. A holder asks the server; who waits finds out by creating it.
            None => match self.phase {
                Phase::Waiting => {
                    self.lease.learn_absent(now);
                    self.reads_live = false;
                    self.try_if_free(now, outputs);
                }
                Phase::Holding { .. } if self.in_flight.is_none() => self.send_read(true, outputs),
                _ => {}
            },
        }
    }

    fn read(&mut self, answer: Answer<Option<ObservedLease>>, now: Moment, outputs: &mut Vec<Output>) {
        if self.in_flight != Some(Request::Read) {
            return;
        }
        self.in_flight = None;
        match answer {
            Answer::Ok(lease) => {
                self.is_unsure = false;
                self.reads_live = false;
                match lease {
                    Some(lease) => _ = self.lease.learn(lease, now),
                    None => self.lease.learn_absent(now),
                }
                match &mut self.phase {
                    // Still ours: write again.
                    Phase::Holding { renew, .. } => *renew = now,
                    _ => self.wait(now),
                }
                self.end_if_other_holds(now, outputs);
                self.try_if_free(now, outputs);
            }
            Answer::Conflict | Answer::Error => {
                self.reads_live = true;
                if self.stopping && matches!(self.phase, Phase::Waiting) {
                    // Nothing more can be done for a lease that may have been gained: it ends by itself.
                    self.is_unsure = false;
                    self.lease = KnownLease::default();
                } else {
                    self.wait(now);
                }
            }
        }
    }

    fn written(&mut self, answer: Answer<ObservedLease>, now: Moment, outputs: &mut Vec<Output>) {
        let Some(request @ (Request::Gain | Request::Renew { .. } | Request::Release)) = self.in_flight else { return };
        self.in_flight = None;
        let is_conflict = answer == Answer::Conflict;
        if let Answer::Ok(lease) = answer {
            self.is_unsure = false;
            self.lease.learn(lease, now);
        } else {
            self.is_unsure = true;
            self.reads_live = true;
        }
        match (request, self.phase) {
            (Request::Gain, Phase::Acquiring { sent }) => {
                self.phase = Phase::Waiting;
                let term = self.term_from(sent);
                match term.filter(|term| !self.is_unsure && now < term.valid_until) {
                    Some(term) => self.hold(term, sent, now, outputs),
                    None => self.wait(now),
                }
            }
            (Request::Renew { sent }, Phase::Holding { stage, renew, .. }) => {
                if is_conflict {
                    self.send_read(true, outputs);
                } else if let Some(term) = self.term_from(sent).filter(|_| !self.is_unsure) {
                    self.phase = Phase::Holding { term, stage, renew };
                    outputs.push(Output::Renewed(term));
                }
            }
            (Request::Release, _) if self.stopping => {
                // Also if it failed: nobody waits for a release.
                self.is_unsure = false;
                self.lease = KnownLease::default();
            }
            (Request::Release, _) => {
                self.wait(now);
                self.not_before = self.wake;
            }
            _ => {}
        }
        self.end_if_other_holds(now, outputs);
    }

    /// The term of a write that was sent then, and whose record is known.
    fn term_from(&self, sent: Moment) -> Option<Term> {
        let record = &self.lease()?.record;
        (record.holder == self.identity).then(|| Term {
            epoch: u64::from(record.transitions),
            valid_until: sent + self.timing.renew_deadline(),
            safe_until: sent + self.timing.lease_duration(),
        })
    }

    fn hold(&mut self, term: Term, sent: Moment, now: Moment, outputs: &mut Vec<Output>) {
        // A replica that stops releases what it gained.
        if self.stopping {
            return;
        }
        let stage = if self.guarded { Stage::Checking(now) } else { Stage::Promoting { failures: 0 } };
        self.phase = Phase::Holding { term, stage, renew: sent + self.timing.retry_period() };
        if !self.guarded {
            outputs.push(Output::Promote(term));
        }
    }

    fn checked(&mut self, answer: Answer<Option<Overlap>>, now: Moment, outputs: &mut Vec<Output>) {
        if self.in_flight != Some(Request::Check) {
            return;
        }
        self.in_flight = None;
        let Phase::Holding { term, stage: Stage::Checking(_), renew } = self.phase else { return };
        match answer {
            Answer::Ok(overlap) => {
                self.overlap = overlap;
                if self.overlaps(now) {
                    self.phase = Phase::Waiting;
                    self.wait(now);
                    self.send_release(outputs);
                } else {
                    self.phase = Phase::Holding { term, stage: Stage::Promoting { failures: 0 }, renew };
                    outputs.push(Output::Promote(term));
                }
            }
            Answer::Conflict | Answer::Error => {
                let again = Stage::Checking(now + self.timing.retry_period());
                self.phase = Phase::Holding { term, stage: again, renew };
            }
        }
    }

    fn promoted(&mut self, succeeded: bool, now: Moment, outputs: &mut Vec<Output>) {
        match self.phase {
            Phase::Holding { term, stage: Stage::Promoting { failures }, renew } => {
                let failures = failures + u32::from(!succeeded);
                let stage = match (succeeded, self.stopping) {
                    (true, false) => {
                        outputs.push(Output::Activate(term));
                        Stage::Active
                    }
                    (true, true) => {
                        outputs.extend([Output::CancelTerm, Output::Demote]);
                        Stage::Demoting
                    }
                    (false, false) => {
                        let delay = Policy::new(Duration::from_secs(1), Duration::from_secs(30)).nominal(failures);
                        Stage::PromotingAgain { failures, at: now + delay.as_duration() }
                    }
                    (false, true) => {
                        outputs.push(Output::CancelTerm);
                        self.phase = Phase::Waiting;
                        return;
                    }
                };
                self.phase = Phase::Holding { term, stage, renew };
            }
            Phase::Losing(Ending::Promotion) if succeeded => {
                self.phase = Phase::Losing(Ending::Demotion);
                outputs.push(Output::Demote);
            }
            Phase::Losing(Ending::Promotion) => self.start_over(now),
            _ => {}
        }
    }

    fn drained(&mut self, outputs: &mut Vec<Output>) {
        match &mut self.phase {
            Phase::Losing(ending @ Ending::Passes) => {
                *ending = Ending::Demotion;
                outputs.push(Output::Demote);
            }
            Phase::Holding { stage: stage @ Stage::Active, .. } if self.stopping => {
                *stage = Stage::Demoting;
                outputs.extend([Output::CancelTerm, Output::Demote]);
            }
            _ => {}
        }
    }

    fn demoted(&mut self, now: Moment) {
        if let Phase::Losing(Ending::Demotion) | Phase::Holding { stage: Stage::Demoting, .. } = self.phase {
            self.start_over(now);
        }
    }

    fn shut_down(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        self.stopping = true;
        match self.phase {
            Phase::Holding { stage: Stage::Checking(_), .. } => self.start_over(now),
            Phase::Holding { stage: Stage::PromotingAgain { .. }, .. } => {
                outputs.push(Output::CancelTerm);
                self.start_over(now);
            }
            _ => {}
        }
    }

    /// The term is over. Bucket, passes and hooks of it end one after the other.
    fn lose(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        let Phase::Holding { stage, .. } = self.phase else { return };
        let ending = match stage {
            Stage::Checking(_) => None,
            Stage::PromotingAgain { .. } => {
                outputs.push(Output::CancelTerm);
                None
            }
            Stage::Promoting { .. } => {
                outputs.push(Output::CancelTerm);
                Some(Ending::Promotion)
            }
            Stage::Active => {
                outputs.push(Output::CancelTerm);
                Some(Ending::Passes)
            }
            Stage::Demoting => Some(Ending::Demotion),
        };
        match ending {
            Some(ending) => self.phase = Phase::Losing(ending),
            None => self.start_over(now),
        }
    }

    /// Campaigns again, or ends when the replica stops.
    fn start_over(&mut self, now: Moment) {
        self.phase = Phase::Waiting;
        self.reads_live = true;
        self.wake = now;
    }

    /// Sends what is due, unless a request is in flight.
    fn act(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        if let Phase::Holding { term, stage: Stage::PromotingAgain { failures, at }, renew } = self.phase
            && now >= at
        {
            self.phase = Phase::Holding { term, stage: Stage::Promoting { failures }, renew };
            outputs.push(Output::Promote(term));
        }
        if self.in_flight.is_some() {
            return;
        }
        match self.phase {
            Phase::Waiting if self.stopping => {
                if self.is_unsure {
                    self.send_read(true, outputs);
                } else if self.is_ours() {
                    self.send_release(outputs);
                } else {
                    self.phase = Phase::Released;
                    outputs.push(Output::Released);
                }
            }
            Phase::Waiting if now >= self.wake => self.send_read(self.reads_live, outputs),
            Phase::Holding { stage: Stage::Checking(at), .. } if now >= at => {
                self.in_flight = Some(Request::Check);
                outputs.push(Output::CheckOverlap);
            }
            Phase::Holding { renew, .. } if now >= renew => self.send_renewal(now, outputs),
            _ => {}
        }
    }

    fn set_timer(&mut self, outputs: &mut Vec<Output>) {
        let idle = self.in_flight.is_none();
        let next = match self.phase {
            Phase::Waiting if idle => Some(self.wake),
            Phase::Holding { term, stage, renew } => {
                let stage = match stage {
                    Stage::Checking(at) if idle => Some(at),
                    Stage::PromotingAgain { at, .. } => Some(at),
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

    fn send_read(&mut self, live: bool, outputs: &mut Vec<Output>) {
        self.in_flight = Some(Request::Read);
        outputs.push(Output::Read { live });
    }

    fn send_renewal(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        let Some(lease) = self.lease.seen() else { return };
        let write = LeaseWrite::gain(&self.identity, self.timing.stated_seconds(), Some(&lease.record));
        outputs.push(Output::Update(write, lease.clone()));
        self.in_flight = Some(Request::Renew { sent: now });
        if let Phase::Holding { renew, .. } = &mut self.phase {
            *renew = now + self.timing.retry_period();
        }
    }

    fn send_release(&mut self, outputs: &mut Vec<Output>) {
        let Some(lease) = self.lease.seen() else { return };
        outputs.push(Output::Release(LeaseWrite::release(&lease.record), lease.clone()));
        self.in_flight = Some(Request::Release);
    }

    /// Gains the lease if nobody holds it, and nothing keeps this replica from it.
    fn try_if_free(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        // After a failed write the lease is not what it was known to be: trying again without a look would fail for ever.
        let is_ready = matches!(self.phase, Phase::Waiting) && self.in_flight.is_none() && !self.stopping && !self.reads_live;
        if !is_ready || now < self.not_before || self.overlaps(now) {
            return;
        }
        let Some(free_since) = self.lease.free_since(&self.identity, self.timing, now) else { return };
        // A replica with its share waits, so that one with less can take the bucket first.
        if !self.has_room && !self.is_ours() && now.since(free_since) < self.timing.lease_duration().saturating_mul(2) {
            return;
        }
        let last = self.lease();
        let write = LeaseWrite::gain(&self.identity, self.timing.stated_seconds(), last.map(|lease| &lease.record));
        outputs.push(match last {
            None => Output::Create(write),
            Some(lease) => Output::Update(write, lease.clone()),
        });
        self.in_flight = Some(Request::Gain);
        self.phase = Phase::Acquiring { sent: now };
    }

    fn is_ours(&self) -> bool {
        self.lease().is_some_and(|lease| lease.record.holder == self.identity)
    }

    fn overlaps(&self, now: Moment) -> bool {
        self.overlap.as_ref().is_some_and(|overlap| now < overlap.until)
    }

    /// Ends the term when the lease as it was seen is not ours (LDR-22).
    fn end_if_other_holds(&mut self, now: Moment, outputs: &mut Vec<Output>) {
        if matches!(self.phase, Phase::Holding { .. }) && !self.is_ours() {
            self.lose(now, outputs);
        }
    }

    /// Sets the time of the next try: after a jittered retry period, or soon after the holder's lease ends, so that a bucket whose holder
    /// died is taken within lease duration and retry period.
    fn wait(&mut self, now: Moment) {
        let retry = self.timing.retry_period();
        self.wake = now + retry.mul_f64(1.0 + 1.2 * self.rng.unit());
        if let Some(expires) = self.lease.expires(&self.identity, self.timing).filter(|expires| *expires > now) {
            self.wake = self.wake.min(expires + retry.mul_f64(0.5 * self.rng.unit()));
        }
    }
}
