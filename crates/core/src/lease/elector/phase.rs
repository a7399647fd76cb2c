//! The phases of an elector.

use crate::lease::Term;
use crate::time::Moment;

#[derive(Clone, Copy, Debug)]
pub(super) enum ElectorPhase {
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
    Losing(TermEnding),
    Released,
}

/// How far the promotion of a term is, or its demotion at shutdown.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
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

/// The last step that a term waits for after its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum TermEnding {
    Promotion,
    Passes,
    Demotion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Read,
    Gain,
    Renew { sent: Moment },
    Release,
    Check,
}
