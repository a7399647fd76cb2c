//! The conclusion of a pass: from its outcome to conditions and event, and then to queue action and metric.

use super::conclusion::{Conclusion, PassReport, ResultLabel, StalledMark, Texts};
use super::join::{Extra, smallest};
use super::memory::ReportedState;
use super::timer::TimerKind;
use super::{
    Class, Classification, Delay, Event, EventType, Failure, Flow, Halt, KeyMemory, Reason, Schedule, Wait, WaitOn, reason,
    redact,
};
use crate::backoff::{FailedPass, RateLimiter, Rng, Timing, jittered};
use crate::time::Moment;

/// The state that was reported before the pass.
#[derive(Clone, Debug)]
pub enum Prior {
    /// The conditions of the object, as read at the start of the pass.
    Conditions {
        /// The condition `Ready`.
        ready: Option<PriorCondition>,
        /// The condition `Stalled`.
        stalled: Option<PriorCondition>,
    },
    /// The memory of the key, for a kind without conditions.
    Memory,
}

/// The status and reason of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorCondition {
    /// True if the status of the condition is True.
    pub is_true: bool,
    /// The reason of the condition.
    pub reason: String,
}

/// The times and delays of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassTimes {
    /// The time at which the pass started.
    pub started: Moment,
    /// The time at which the pass ended.
    pub ended: Moment,
    /// The longest time until the next pass, whatever the outcome.
    pub recheck: Option<Delay>,
    /// The delay of a failure of class `Backoff` from a persisted back-off; it replaces the limiter's.
    pub persisted: Option<Delay>,
}

/// The change of the delay that a persisted back-off keeps in the status of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Persist {
    /// The delay stays: the failure has its own delay, or came during the back-off.
    Keep,
    /// The delay is removed: the outcome forgets failures.
    Remove,
    /// The delay grows: the failure is of class `Backoff`.
    Grow,
}

/// Returns the change of a persisted back-off by an outcome (BO-11 to BO-13). `started` is the start of the pass.
pub fn persist(outcome: &Flow, memory: &KeyMemory, timing: &Timing, started: Moment) -> Persist {
    let Err(Halt::Failed(failure)) = outcome else { return Persist::Remove };
    match class_of(&failure.classification(), timing) {
        Class::Terminal => Persist::Remove,
        Class::After(_) | Class::Conflict => Persist::Keep,
        Class::Backoff if memory.due.is_some_and(|due| started < due) => Persist::Keep,
        Class::Backoff => Persist::Grow,
    }
}

/// The state that all passes of one controller share.
#[derive(Debug)]
pub struct Limits {
    timing: Timing,
    rng: Rng,
    retries: Box<dyn RateLimiter>,
    /// True if the controller has set its own limiter.
    has_own_limiter: bool,
    /// The class that the controller has set for unclassified failures.
    unclassified: Option<Class>,
}

impl Limits {
    /// Creates the limits that follow from a timing; the seed decides the jitter.
    pub fn new(timing: Timing, seed: u64) -> Self {
        let retries = Box::new(timing.limiter());
        Self { timing, rng: Rng::seeded(seed), retries, has_own_limiter: false, unclassified: None }
    }

    /// Replaces the limiter of retries (LIM-2). The default is that of the timing.
    pub fn set_limiter(&mut self, limiter: impl RateLimiter + 'static) {
        self.retries = Box::new(limiter);
        self.has_own_limiter = true;
    }

    /// Replaces the class of unclassified failures (ERR-9).
    pub fn set_unclassified(&mut self, class: Class) {
        self.unclassified = Some(class);
        self.timing.unclassified = class;
    }

    /// Replaces the timing. A limiter and a class that the controller has set are kept, and the failures of each object are still counted; the burst
    /// of retries begins anew.
    pub fn set_timing(&mut self, timing: Timing) {
        self.timing = timing;
        if let Some(class) = self.unclassified {
            self.timing.unclassified = class;
        }
        if !self.has_own_limiter {
            self.retries = Box::new(self.timing.limiter());
        }
    }

    /// Returns the timing.
    pub const fn timing(&self) -> &Timing {
        &self.timing
    }
}

/// Returns the conditions, event and log line of an outcome. The memory is not changed, so that an outcome can be reported again after additions to
/// it. A deletion of the object makes no difference.
pub fn report(outcome: &Flow, memory: &KeyMemory, prior: &Prior, timing: &Timing) -> PassReport {
    let before = Before::of(prior, memory);
    match outcome {
        Ok(()) | Err(Halt::Done) => done(&before),
        Err(Halt::Wait(wait)) => waiting(wait, &before),
        Err(Halt::Blocked(blocked)) => {
            let inner = blocked.0.as_ref();
            stuck(ResultLabel::Blocked, texts(inner.reason.clone(), &blocked.text()), inner.event.as_ref(), &before)
        }
        Err(Halt::Failed(failure)) => failing(failure, memory, &before, timing),
    }
}

/// Counts an outcome, and schedules the key. Called once per pass, with its last report.
pub fn conclude(outcome: &Flow, report: PassReport, memory: &mut KeyMemory, limits: &mut Limits, pass: &PassTimes) -> Conclusion {
    let schedule = match outcome {
        Ok(()) | Err(Halt::Done) => {
            memory.forget_failures();
            memory.conflicts = 0;
            memory.keep_slots(|_| false);
            Schedule::OnEvent
        }
        Err(Halt::Wait(wait)) => wait_for(wait, memory, limits),
        Err(Halt::Blocked(blocked)) => {
            memory.forget_failures();
            memory.conflicts = 0;
            let extra = &blocked.0.extra;
            memory.keep_slots(|reason| extra.growing.iter().any(|slot| slot.reason == *reason));
            Schedule::from(timers(extra, memory, limits))
        }
        Err(Halt::Failed(failure)) => retry(failure, memory, limits, pass),
    };
    memory.timer = match (outcome, pass.recheck) {
        (_, Some(recheck)) if schedule.delay().is_none_or(|own| recheck < own) => TimerKind::Recheck,
        (Ok(()) | Err(Halt::Done), _) => TimerKind::Recheck,
        (Err(Halt::Wait(_)), _) => TimerKind::Wait,
        (Err(Halt::Blocked(_)), _) => TimerKind::Blocked,
        (Err(Halt::Failed(_)), _) if report.outcome == ResultLabel::Conflict => TimerKind::Conflict,
        (Err(Halt::Failed(_)), _) => TimerKind::BackOff,
    };
    let schedule = schedule.sooner(pass.recheck);
    if let Some((ready, texts)) = &report.ready {
        let stalled = matches!(report.stalled, StalledMark::Set(_));
        memory.told = Some(ReportedState { ready: *ready, stalled, reason: texts.reason.clone() });
    }
    Conclusion { report, schedule, failures: memory.failures }
}

/// The state that was reported before, from the conditions or the memory.
struct Before {
    /// True if no state is known: the kind has no conditions, and the process has not seen the object.
    is_blank: bool,
    ready: Option<PriorCondition>,
    stalled: Option<PriorCondition>,
}

impl Before {
    fn of(prior: &Prior, memory: &KeyMemory) -> Self {
        let told = |is_true: bool, told: &ReportedState| PriorCondition { is_true, reason: told.reason.as_str().to_owned() };
        match prior {
            // The author of an object may also mark its conditions, so that they can differ from the reported outcomes.
            Prior::Conditions { ready, stalled } if memory.told.is_none() => {
                Self { is_blank: false, ready: ready.clone(), stalled: stalled.clone() }
            }
            Prior::Conditions { .. } | Prior::Memory => Self {
                is_blank: memory.told.is_none(),
                ready: memory.told.as_ref().map(|last| told(last.ready, last)),
                stalled: memory.told.as_ref().filter(|last| last.stalled).map(|last| told(true, last)),
            },
        }
    }

    fn was_ready(&self) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.is_true)
    }

    fn waited_for(&self, reason: &Reason) -> bool {
        self.ready.as_ref().is_some_and(|ready| !ready.is_true && ready.reason == reason.as_str())
    }

    fn was_stalled_by(&self, reason: &Reason) -> bool {
        self.stalled.as_ref().is_some_and(|stalled| stalled.is_true && stalled.reason == reason.as_str())
    }
}

fn done(before: &Before) -> PassReport {
    let word = reason::constant("Reconciled");
    // A first success without a known previous state is not reported: otherwise a restart would report it for every object.
    let transition = !before.is_blank && !before.was_ready();
    PassReport {
        outcome: ResultLabel::Done,
        event: transition.then(|| Event::normal(word.clone(), "reconciled")),
        ready: Some((true, Texts { reason: word, message: String::new() })),
        stalled: StalledMark::Remove,
        transition,
        message: String::new(),
    }
}

fn waiting(wait: &Wait, before: &Before) -> PassReport {
    let inner = wait.0.as_ref();
    let transition = !before.waited_for(&inner.reason);
    let texts = texts(inner.reason.clone(), &wait.text());
    PassReport {
        outcome: ResultLabel::Wait,
        event: transition.then(|| own_or(inner.event.as_ref(), EventType::Normal, &texts)),
        message: texts.message.clone(),
        ready: Some((false, texts)),
        stalled: StalledMark::Remove,
        transition,
    }
}

fn wait_for(wait: &Wait, memory: &mut KeyMemory, limits: &mut Limits) -> Schedule {
    memory.forget_failures();
    memory.conflicts = 0;
    let inner = wait.0.as_ref();
    let kept = |reason: &Reason| *reason == inner.reason || inner.extra.growing.iter().any(|slot| slot.reason == *reason);
    memory.keep_slots(kept);
    let own = match inner.on {
        WaitOn::Timer(delay) => delay,
        WaitOn::Event { safety_net } => {
            let net = safety_net.unwrap_or(limits.timing.safety_net);
            jittered(net, limits.timing.safety_net_jitter, &mut limits.rng)
        }
        WaitOn::Growing { at_most } => {
            let grown = memory.grow(&inner.reason, inner.progressed, &limits.timing.waits, &mut limits.rng);
            at_most.map_or(grown, |bound| grown.min(bound))
        }
    };
    Schedule::After(own).sooner(timers(&inner.extra, memory, limits))
}

fn failing(failure: &Failure, memory: &KeyMemory, before: &Before, timing: &Timing) -> PassReport {
    let event = failure.0.event.as_ref();
    let found = failure.classification();
    let texts = texts(found.reason.clone(), &failure.text());
    if class_of(&found, timing) == Class::Terminal {
        return stuck(ResultLabel::Terminal, texts, event, before);
    }
    let message = texts.message.clone();
    if found.is_conflict() && memory.conflicts < timing.quiet_conflicts {
        return PassReport {
            outcome: ResultLabel::Conflict,
            ready: None,
            stalled: StalledMark::Keep,
            event: None,
            transition: false,
            message,
        };
    }
    PassReport {
        outcome: ResultLabel::Error,
        event: Some(own_or(event, EventType::Warning, &texts)),
        ready: Some((false, texts)),
        stalled: StalledMark::Remove,
        transition: before.was_ready(),
        message,
    }
}

fn class_of(found: &Classification, timing: &Timing) -> Class {
    if found.recognised { found.class } else { timing.unclassified }
}

fn retry(failure: &Failure, memory: &mut KeyMemory, limits: &mut Limits, pass: &PassTimes) -> Schedule {
    let inner = failure.0.as_ref();
    let found = failure.classification();
    memory.keep_slots(|reason| inner.extra.growing.iter().any(|slot| slot.reason == *reason));
    let bounds = failure.bounds();
    let after_conflict = bounds.conflict.then_some(limits.timing.conflict);
    let others = smallest(timers(&inner.extra, memory, limits), smallest(bounds.after, after_conflict));
    let own = match class_of(&found, &limits.timing) {
        Class::Terminal => {
            memory.forget_failures();
            memory.conflicts = 0;
            return Schedule::from(others);
        }
        Class::Conflict => {
            memory.due = None;
            limits.timing.conflict
        }
        // Repeated requests of a server for the same short wait are still followed with growing delays.
        Class::After(delay) if found.status.is_some() => delay.max(backoff(found.slow, memory, limits, pass)),
        Class::After(delay) => {
            memory.due = None;
            delay
        }
        Class::Backoff => backoff(found.slow, memory, limits, pass),
    };
    memory.conflicts = if found.is_conflict() { memory.conflicts.saturating_add(1) } else { 0 };
    Schedule::After(own).sooner(others)
}

/// Returns the delay of a failure of class `Backoff`. A pass that an event started before the back-off was over, and that failed again, neither
/// advances the counter nor moves the timer.
fn backoff(slow: bool, memory: &mut KeyMemory, limits: &mut Limits, pass: &PassTimes) -> Delay {
    if let Some(due) = memory.due.filter(|due| pass.started < *due) {
        return Delay::at_least_min(due.since(pass.ended));
    }
    memory.failures = memory.failures.saturating_add(1);
    let delay = pass.persisted.unwrap_or_else(|| {
        let retry = FailedPass::new(memory.failures, slow, pass.ended);
        Delay::at_least_min(limits.retries.delay(&retry, &mut limits.rng))
    });
    memory.due = Some(pass.ended + delay.as_duration());
    delay
}

/// Returns the report of blocked and terminal outcomes: the key waits until something changes.
fn stuck(outcome: ResultLabel, texts: Texts, event: Option<&Event>, before: &Before) -> PassReport {
    let transition = !before.was_stalled_by(&texts.reason);
    PassReport {
        outcome,
        event: transition.then(|| own_or(event, EventType::Warning, &texts)),
        ready: Some((false, texts.clone())),
        message: texts.message.clone(),
        stalled: StalledMark::Set(texts),
        transition,
    }
}

/// Returns the smallest timer of the other branches of a joined halt.
fn timers(extra: &Extra, memory: &mut KeyMemory, limits: &mut Limits) -> Option<Delay> {
    let default_net = extra.default_net.then_some(limits.timing.safety_net);
    let net = smallest(extra.safety_net, default_net);
    let net = net.map(|net| jittered(net, limits.timing.safety_net_jitter, &mut limits.rng));
    let grown = extra.growing.iter().map(|slot| {
        let grown = memory.grow(&slot.reason, slot.progressed, &limits.timing.waits, &mut limits.rng);
        slot.at_most.map_or(grown, |bound| grown.min(bound))
    });
    let grown = grown.min();
    let after_conflict = extra.conflict.then_some(limits.timing.conflict);
    smallest(smallest(extra.recheck, after_conflict), smallest(net, grown))
}

fn texts(reason: Reason, message: &str) -> Texts {
    Texts { reason, message: redact(message).into_owned() }
}

fn own_or(event: Option<&Event>, kind: EventType, texts: &Texts) -> Event {
    match event {
        Some(event) => Event { note: redact(&event.note).into_owned(), ..event.clone() },
        None => Event::new(kind, texts.reason.clone(), texts.message.clone()),
    }
}
