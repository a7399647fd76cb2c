//! The disturbances of a run.

use std::fmt;
use std::time::Duration;

use kubewright_middleware::Verb;

use super::lasting::LastingFault;
use super::leaders::{LeaderTrouble, RequestPoint};

/// The disturbance of a run. Requests are those of the operator, counted from 0 when the scenario begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Disturbance {
    None,
    /// The process dies after this many requests and is started again; the next process may die after `again` requests, too.
    Crash {
        after: usize,
        again: Option<usize>,
    },
    /// A request is answered with this status code, and is not handled.
    Answer {
        at: usize,
        code: u16,
    },
    /// The connection breaks before a request is handled.
    DropBefore {
        at: usize,
    },
    /// The connection breaks after a request is handled.
    DropAfter {
        at: usize,
    },
    /// The events of a kind are delayed by this time.
    Late {
        group: String,
        plural: String,
        by: Duration,
    },
    /// The watch of a kind delivers no events from now on, and does not end.
    Silent {
        group: String,
        plural: String,
    },
    /// Each event is delayed by up to this time; the events of one kind keep their order. The number seeds the delays of the run.
    Shuffled {
        by: Duration,
        run: usize,
    },
    /// At a request, the server compacts its history and ends all watches.
    LoseHistory {
        at: usize,
    },
    /// Each watch ends after this many events, and its successor is rejected as too old, this many times.
    Expire {
        events: usize,
        times: usize,
    },
    /// A second operator starts at a request, and both do the same work.
    Second {
        at: usize,
    },
    /// All requests of a verb for a resource fail for some time, from the first one on.
    Lasting {
        fault: LastingFault,
        verb: Verb,
        group: String,
        plural: String,
        lasts: Duration,
    },
    /// Two replicas share the work by leases, without a disturbance.
    Replicas,
    /// The replica that leads, of two, is disturbed at one of its requests.
    Leader {
        trouble: LeaderTrouble,
        at: usize,
        point: RequestPoint,
    },
}

impl Disturbance {
    /// Returns the name of its kind, by which the report counts runs.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::None => "undisturbed".to_owned(),
            Self::Crash { again: None, .. } => "crash".to_owned(),
            Self::Crash { .. } => "two crashes".to_owned(),
            Self::Answer { code, .. } => code.to_string(),
            Self::DropBefore { .. } => "request lost".to_owned(),
            Self::DropAfter { .. } => "answer lost".to_owned(),
            Self::Late { .. } | Self::Silent { .. } | Self::Shuffled { .. } => "late events".to_owned(),
            Self::LoseHistory { .. } | Self::Expire { .. } => "history lost".to_owned(),
            Self::Second { .. } => "two operators".to_owned(),
            Self::Lasting { lasts, .. } => format!("fault of {lasts:?}"),
            Self::Replicas => "two replicas".to_owned(),
            Self::Leader { trouble: LeaderTrouble::Deposed, .. } => "leadership moved".to_owned(),
            Self::Leader { trouble: LeaderTrouble::Suspended, .. } => "leader paused".to_owned(),
        }
    }

    /// Returns true if replicas share the work by leases.
    pub(super) fn is_replicated(&self) -> bool {
        matches!(self, Self::Replicas | Self::Leader { .. })
    }

    /// Returns the seed of the server in the run.
    pub(super) fn seed(&self) -> u64 {
        match self {
            Self::Shuffled { run, .. } => *run as u64,
            _ => 7,
        }
    }

    /// Returns the lasting fault and its duration.
    pub(super) fn lasting(&self) -> Option<(LastingFault, Duration)> {
        if let Self::Lasting { fault, lasts, .. } = self { Some((*fault, *lasts)) } else { None }
    }

    /// Returns the number of operators that work.
    pub(super) fn operators(&self) -> usize {
        if matches!(self, Self::Second { .. }) { 2 } else { 1 }
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("undisturbed"),
            Self::Crash { after, again: None } => write!(f, "crash after request {after}"),
            Self::Crash { after, again: Some(again) } => write!(f, "crash after request {after}, and again after {again}"),
            Self::Answer { at, code } => write!(f, "request {at} answered {code}"),
            Self::DropBefore { at } => write!(f, "request {at} lost"),
            Self::DropAfter { at } => write!(f, "answer {at} lost"),
            Self::Late { group, plural, by } => write!(f, "events of {plural}.{group} {by:?} late"),
            Self::Silent { group, plural } => write!(f, "watch of {plural}.{group} silent"),
            Self::Shuffled { by, run } => write!(f, "events shuffled within {by:?}, run {run}"),
            Self::LoseHistory { at } => write!(f, "history lost at request {at}"),
            Self::Expire { events, times } => write!(f, "{times} watches expired after {events} events"),
            Self::Second { at } => write!(f, "second operator from request {at}"),
            Self::Lasting { fault, verb, group, plural, lasts } => {
                write!(f, "{fault} for {lasts:?} to {} {plural}.{group}", verb.as_str())
            }
            Self::Replicas => f.write_str("two replicas"),
            Self::Leader { trouble, at, point } => {
                let what = match trouble {
                    LeaderTrouble::Deposed => "leadership moved",
                    LeaderTrouble::Suspended => "leader paused",
                };
                let when = match point {
                    RequestPoint::Before => "before",
                    RequestPoint::After => "after",
                };
                write!(f, "{what} {when} request {at} of the leader")
            }
        }
    }
}
