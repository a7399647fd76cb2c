//! The events of a world, and the fates of requests.

use std::sync::Arc;

use super::state::Millis;
use crate::lease::*;
use crate::time::Moment;

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseFate {
    Done,
    /// The request never arrives; an error follows after the timeout.
    Lost,
    /// The server rejects the request at once, for instance because it is overloaded.
    Refused,
    /// The request is executed, but the answer is lost.
    Unanswered,
    /// An error follows after the timeout; the server executes the request much later.
    Late,
    /// The replica freezes before it sends the request.
    FrozenBefore,
    /// The replica freezes before it receives the answer.
    FrozenAfter,
}

pub(super) const FATES: [LeaseFate; 7] = [
    LeaseFate::Done,
    LeaseFate::Lost,
    LeaseFate::Refused,
    LeaseFate::Unanswered,
    LeaseFate::Late,
    LeaseFate::FrozenBefore,
    LeaseFate::FrozenAfter,
];

#[derive(Clone, Debug)]
pub(super) enum Request {
    Read,
    Create(LeaseWrite),
    Update(LeaseWrite, ObservedLease),
    Check,
}

#[derive(Debug)]
pub(super) enum WorldEvent {
    Input(usize, usize, Input),
    Timer(usize, usize, Moment),
    Send(usize, usize, Request),
    /// A request arrives at the server; the boolean is true while the replica waits for the answer.
    Arrive(usize, usize, Request, bool, Millis),
    Listed(usize, usize, Vec<(Arc<str>, LeaseRecord)>),
    Watched(usize, Arc<str>, Option<ObservedLease>),
    /// A deletion arrives at the server.
    Delete(UnusedLease),
    Reconnect(usize),
    Stop(usize),
    Disturb,
}
