//! From the outcome of a pass to queue action, conditions, event and metric.

use super::conclusion::{Conclusion, Outcome, StalledMark, Texts};
use super::join::{Extra, smallest};
use super::memory::Told;
use super::{
    Blocked, Class, Delay, Event, EventType, Failure, Flow, Halt, KeyMemory, Reason, Schedule, Wait, WaitOn, reason, redact,
};
use crate::backoff::{Rng, Timing, TokenBucket, jittered};
use crate::time::Moment;

/// What was reported before the pass.
#[derive(Clone, Debug)]
pub enum Prior {
    /// The object has conditions: these, as read at the start of the pass.
    Conditions {
        /// The condition `Ready`.
        ready: Option<PriorCondition>,
        /// The condition `Stalled`.
        stalled: Option<PriorCondition>,
    },
    /// The kind has no conditions; the memory of the key tells.
    Memory,
}

/// Status and reason of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorCondition {
    /// Whether its status is True.
    pub is_true: bool,
    /// Its reason.
    pub reason: String,
}

/// The circumstances of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// When it started.
    pub started: Moment,
    /// When it ended.
    pub ended: Moment,
    /// The next pass is no later than this, whatever the outcome.
    pub recheck: Option<Delay>,
}

/// What the passes of one controller share.
#[derive(Clone, Debug)]
pub struct Limits {
    timing: Timing,
    rng: Rng,
    retries: TokenBucket,
}

impl Limits {
    /// The limits that follow from a timing; the seed decides the jitter.
    pub fn new(timing: Timing, seed: u64) -> Self {
        let retries = timing.retry_bucket();
        Self { timing, rng: Rng::seeded(seed), retries }
    }

    /// The timing.
    pub const fn timing(&self) -> &Timing {
        &self.timing
    }
}

/// Says what an outcome means. Whether the object is being deleted makes no difference.
pub fn conclude(outcome: &Flow, memory: &mut KeyMemory, prior: &Prior, limits: &mut Limits, pass: &Pass) -> Conclusion {
    let before = Before::of(prior, memory);
    let mut conclusion = match outcome {
        Ok(()) | Err(Halt::Done) => done(memory, &before),
        Err(Halt::Wait(wait)) => waiting(wait, memory, &before, limits),
        Err(Halt::Blocked(blocked)) => blocking(blocked, memory, &before, limits),
        Err(Halt::Failed(failure)) => failing(failure, memory, &before, limits, pass),
    };
    conclusion.schedule = conclusion.schedule.sooner(pass.recheck);
    if let (Some(event), Schedule::After(delay), Outcome::Wait | Outcome::Error) =
        (&mut conclusion.event, conclusion.schedule, conclusion.outcome)
    {
        event.note = format!("{}; next try in {}", event.note, delay.rounded());
    }
    if let Some((ready, texts)) = &conclusion.ready {
        let stalled = matches!(conclusion.stalled, StalledMark::Set(_));
        memory.told = Some(Told { ready: *ready, stalled, reason: texts.reason.clone() });
    }
    conclusion
}

/// What was reported before, from wherever it is known.
struct Before {
    ready: Option<PriorCondition>,
    stalled: Option<PriorCondition>,
}

impl Before {
    fn of(prior: &Prior, memory: &KeyMemory) -> Self {
        let told = |is_true: bool, told: &Told| PriorCondition { is_true, reason: told.reason.as_str().to_owned() };
        match prior {
            Prior::Conditions { ready, stalled } => Self { ready: ready.clone(), stalled: stalled.clone() },
            Prior::Memory => Self {
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

fn done(memory: &mut KeyMemory, before: &Before) -> Conclusion {
    memory.forget_failures();
    memory.conflicts = 0;
    memory.keep_slots(|_| false);
    let word = reason::constant("Reconciled");
    let transition = !before.was_ready();
    Conclusion {
        schedule: Schedule::OnEvent,
        outcome: Outcome::Done,
        event: transition.then(|| Event::normal(word.clone(), "reconciled")),
        ready: Some((true, Texts { reason: word, message: String::new() })),
        stalled: StalledMark::Remove,
        transition,
        failures: 0,
        message: String::new(),
    }
}

fn waiting(wait: &Wait, memory: &mut KeyMemory, before: &Before, limits: &mut Limits) -> Conclusion {
    memory.forget_failures();
    memory.conflicts = 0;
    let inner = wait.0.as_ref();
    let kept = |reason: &Reason| *reason == inner.reason || inner.extra.growing.iter().any(|slot| slot.reason == *reason);
    memory.keep_slots(kept);
    let own = match inner.on {
        WaitOn::Timer(delay) => delay,
        WaitOn::Event { safety_net } => jittered(safety_net, limits.timing.safety_net_jitter, &mut limits.rng),
        WaitOn::Growing { at_most } => {
            let grown = memory.grow(&inner.reason, inner.progressed, &limits.timing.waits, &mut limits.rng);
            at_most.map_or(grown, |bound| grown.min(bound))
        }
    };
    let transition = !before.waited_for(&inner.reason);
    let texts = texts(inner.reason.clone(), &wait.text());
    Conclusion {
        schedule: Schedule::After(own).sooner(timers(&inner.extra, memory, limits)),
        outcome: Outcome::Wait,
        event: transition.then(|| own_or(inner.event.as_ref(), EventType::Normal, &texts)),
        message: texts.message.clone(),
        ready: Some((false, texts)),
        stalled: StalledMark::Remove,
        transition,
        failures: 0,
    }
}

fn blocking(blocked: &Blocked, memory: &mut KeyMemory, before: &Before, limits: &mut Limits) -> Conclusion {
    memory.forget_failures();
    memory.conflicts = 0;
    let inner = blocked.0.as_ref();
    memory.keep_slots(|reason| inner.extra.growing.iter().any(|slot| slot.reason == *reason));
    let schedule = Schedule::from(timers(&inner.extra, memory, limits));
    stuck(Outcome::Blocked, schedule, texts(inner.reason.clone(), &blocked.text()), inner.event.as_ref(), before)
}

fn failing(failure: &Failure, memory: &mut KeyMemory, before: &Before, limits: &mut Limits, pass: &Pass) -> Conclusion {
    let inner = failure.0.as_ref();
    let found = failure.classification();
    let class = if found.recognised { found.class } else { limits.timing.unclassified };
    let texts = texts(found.reason.clone(), &failure.text());
    memory.keep_slots(|reason| inner.extra.growing.iter().any(|slot| slot.reason == *reason));
    let others = smallest(timers(&inner.extra, memory, limits), failure.bound());
    let schedule = match class {
        Class::Terminal => {
            memory.forget_failures();
            memory.conflicts = 0;
            return stuck(Outcome::Terminal, Schedule::from(others), texts, inner.event.as_ref(), before);
        }
        Class::After(delay) => {
            memory.due = None;
            Schedule::After(delay)
        }
        Class::Backoff => Schedule::After(backoff(found.slow, memory, limits, pass)),
    };
    let schedule = schedule.sooner(others);
    memory.conflicts = if found.is_conflict() { memory.conflicts.saturating_add(1) } else { 0 };
    let message = texts.message.clone();
    if found.is_conflict() && memory.conflicts <= limits.timing.quiet_conflicts {
        return Conclusion {
            schedule,
            outcome: Outcome::Conflict,
            ready: None,
            stalled: StalledMark::Keep,
            event: None,
            transition: false,
            failures: memory.failures,
            message,
        };
    }
    Conclusion {
        schedule,
        outcome: Outcome::Error,
        event: Some(own_or(inner.event.as_ref(), EventType::Warning, &texts)),
        ready: Some((false, texts)),
        stalled: StalledMark::Remove,
        transition: before.was_ready(),
        failures: memory.failures,
        message,
    }
}

/// The delay of a failure of class `Backoff`. A pass that something started before the back-off was over, and that failed
/// again, neither advances the counter nor moves the timer.
fn backoff(slow: bool, memory: &mut KeyMemory, limits: &mut Limits, pass: &Pass) -> Delay {
    if let Some(due) = memory.due.filter(|due| pass.started < *due) {
        return Delay::at_least_min(due.since(pass.ended));
    }
    memory.failures = memory.failures.saturating_add(1);
    let policy = if slow { limits.timing.refused } else { limits.timing.failures };
    let delay = policy.delay(memory.failures, &mut limits.rng);
    let delay = delay.max(Delay::at_least_min(limits.retries.take(pass.ended)));
    memory.due = Some(pass.ended + delay.as_duration());
    delay
}

/// Blocked and terminal outcomes: nothing happens until something changes.
fn stuck(outcome: Outcome, schedule: Schedule, texts: Texts, event: Option<&Event>, before: &Before) -> Conclusion {
    let transition = !before.was_stalled_by(&texts.reason);
    Conclusion {
        schedule,
        outcome,
        event: transition.then(|| own_or(event, EventType::Warning, &texts)),
        ready: Some((false, texts.clone())),
        message: texts.message.clone(),
        stalled: StalledMark::Set(texts),
        transition,
        failures: 0,
    }
}

/// The smallest timer of the other branches of a joined halt.
fn timers(extra: &Extra, memory: &mut KeyMemory, limits: &mut Limits) -> Option<Delay> {
    let net = extra.safety_net.map(|net| jittered(net, limits.timing.safety_net_jitter, &mut limits.rng));
    let grown = extra.growing.iter().map(|slot| {
        let grown = memory.grow(&slot.reason, slot.progressed, &limits.timing.waits, &mut limits.rng);
        slot.at_most.map_or(grown, |bound| grown.min(bound))
    });
    let grown = grown.min();
    smallest(smallest(extra.recheck, net), grown)
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
