//! Deadlines of waits (STEP-9).

use jiff::{SignedDuration, Timestamp};

use super::join::Extra;
use super::{Blocked, Class, Delay, Flow, Halt, Reason, Wait, WaitOn, reason};

/// A wait with a deadline that a halt leaves pending.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingDeadline {
    /// The reason of the wait.
    pub reason: Reason,
    /// The message of the wait.
    pub message: String,
    /// The longest time that the wait may take.
    pub deadline: Delay,
}

/// The wait with a deadline that is stored in a True condition `Waiting`. For kinds without conditions the memory of the key stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal
pub struct WaitingSince {
    /// The reason of the wait.
    pub reason: String,
    /// The start of the wait, the `lastTransitionTime` of the condition.
    pub since: Timestamp,
    /// The generation of the object that the wait is for, the `observedGeneration` of the condition.
    pub generation: Option<i64>,
}

/// The source of the start of a pending wait with a deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // a reconciler that calls the pipeline by itself chooses one of the two
pub enum PriorWait {
    /// The memory of the key, which a restart loses.
    #[default]
    Memory,
    /// The condition `Waiting` of the object as the pass found it; none if no wait was pending.
    Condition(Option<WaitingSince>),
}

/// The change of the condition `Waiting`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitingMark {
    /// The condition is unchanged, because the pass failed before it reached the wait.
    Keep,
    /// The condition is removed, because no wait with a deadline is pending.
    Remove,
    /// The condition is True, with these texts.
    Set {
        /// The reason, start and generation of the wait.
        waiting: WaitingSince,
        /// The message of the wait.
        message: String,
    },
}

/// Applies the deadline of a pending wait to the outcome of a pass (STEP-9).
///
/// `before` is the pending wait that the object has stored, `generation` that of the object, `now` the end of the pass. Before the deadline the next
/// pass comes no later than the deadline. After it a wait becomes `Blocked`, reason `DeadlineExceeded`; failures and blocks of other branches stay
/// the outcome.
pub fn apply_deadline(
    outcome: Flow,
    before: Option<&WaitingSince>,
    generation: Option<i64>,
    now: Timestamp,
) -> (Flow, WaitingMark) {
    let Err(halt) = outcome else { return (Ok(()), WaitingMark::Remove) };
    let Some(pending) = halt.pending_deadline() else {
        let mark = if is_retried(&halt) { WaitingMark::Keep } else { WaitingMark::Remove };
        return (Err(halt), mark);
    };
    let same = before.filter(|before| before.reason == pending.reason.as_str() && before.generation == generation);
    let since = same.map_or(now, |before| before.since);
    let waiting = WaitingSince { reason: pending.reason.as_str().to_owned(), since, generation };
    let elapsed = now.duration_since(since).max(SignedDuration::ZERO).unsigned_abs();
    let rest = pending.deadline.as_duration().saturating_sub(elapsed);
    let halt = match (Delay::try_from(rest), halt) {
        (Ok(rest), halt) => halt.recheck(rest),
        (Err(_), Halt::Wait(wait)) => exceeded(wait, &pending).into(),
        (Err(_), halt) => halt,
    };
    (Err(halt), WaitingMark::Set { waiting, message: pending.message })
}

/// Returns true if the pass is repeated without a change, so that its failure does not end a wait.
fn is_retried(halt: &Halt) -> bool {
    halt.failure().is_some_and(|failure| failure.class() != Class::Terminal)
}

/// Returns the block that replaces a wait beyond its deadline. The message contains the deadline and not the elapsed time, which varies from pass to
/// pass. Timers of joined branches are kept; the wait's own timer is replaced by the safety net of events.
fn exceeded(wait: Wait, pending: &PendingDeadline) -> Blocked {
    let message = format!("{} for more than {}: {}", pending.reason, pending.deadline, pending.message);
    let mut blocked = Blocked::new(reason::constant("DeadlineExceeded"), message);
    let on = match wait.on() {
        WaitOn::Event { safety_net } => WaitOn::Event { safety_net },
        WaitOn::Timer(_) | WaitOn::Growing { .. } => WaitOn::Event { safety_net: None },
    };
    blocked.0.extra.merge_wait(wait.waiting_on(on));
    blocked
}

impl Halt {
    /// Returns the wait with a deadline that is pending after this halt: that of a wait, or of the first branch of a join that has one.
    pub fn pending_deadline(&self) -> Option<PendingDeadline> {
        match self {
            Self::Done => None,
            Self::Wait(wait) => wait.pending_deadline(),
            Self::Blocked(blocked) => blocked.0.extra.pending.clone(),
            Self::Failed(failure) => failure.0.extra.pending.clone(),
        }
    }
}

impl Wait {
    /// Sets the longest time that the wait may take, over all passes with the same reason and generation of the object: after it the outcome is
    /// `Blocked`, reason `DeadlineExceeded` (STEP-9).
    pub fn deadline(mut self, delay: Delay) -> Self {
        self.0.deadline = Some(delay);
        self
    }

    fn pending_deadline(&self) -> Option<PendingDeadline> {
        let own =
            self.0.deadline.map(|deadline| PendingDeadline { reason: self.0.reason.clone(), message: self.text(), deadline });
        own.or_else(|| self.0.extra.pending.clone())
    }
}

impl Extra {
    /// Puts a text before the message of the pending wait.
    pub(super) fn context(&mut self, text: &str) {
        if let Some(pending) = &mut self.pending {
            pending.message = super::text::cut(format!("{text}: {}", pending.message));
        }
    }
}
