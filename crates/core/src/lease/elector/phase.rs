//! The phases of an elector.

use crate::lease::Term;
use crate::time::Moment;

#[derive(Clone, Copy, Debug)]
pub(super) enum ElectorPhase {
    /// No lease is held; also the phase before the start.
    Waiting,
    Acquiring {
        sent: Moment,
    },
    Holding {
        term: Term,
        stage: TermStage,
        renew: Moment,
    },
    Losing(RemainingTermStep),
    Released,
}

/// The progress of the promotion of a term, or of its demotion at shutdown.
#[derive(Clone, Copy, Debug)]
pub(super) enum TermStage {
    /// Overlapping leases are checked for, from this time on.
    Checking(Moment),
    Promoting {
        failures: u32,
    },
    /// The hook failed, and runs again at this time.
    PromotingAgain {
        failures: u32,
        at: Moment,
    },
    Active,
    Demoting,
}

/// The step that has to end before a lost term is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum RemainingTermStep {
    Promotion,
    Passes,
    Demotion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseRequest {
    Read,
    Gain,
    Renew { sent: Moment },
    Release,
    Check,
}
