//! The inputs and the outputs of an elector.

use super::{LeaseWrite, ObservedLease, Overlap};
use crate::time::Moment;

/// The time during which a replica leads one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Term {
    /// The number of the term among those of its bucket (LDR-14). The next holder has a larger one.
    pub epoch: u64,
    /// The end of the term unless it is renewed: the renew deadline after its last successful write was sent.
    pub valid_until: Moment,
    /// The earliest time at which another replica could take the lease over. Requests of the term must end before it.
    pub safe_until: Moment,
}

impl Term {
    /// Creates the term of a bucket without a lease, which does not end before this time.
    pub const fn unlimited(end: Moment) -> Self {
        Self { epoch: 0, valid_until: end, safe_until: end }
    }
}

/// The answer of the API server to a request about a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseAnswer<T> {
    /// The request succeeded.
    Ok(T),
    /// The write failed, and was not executed: the lease has changed since it was observed, already exists, or is gone. Only for writes.
    Conflict,
    /// The request failed in any other way, or was not answered in time. A write may have been executed.
    Error,
}

/// An input of an elector. An answer belongs to the one request that is in flight; an elector never sends a second one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The elector begins to campaign.
    Start,
    /// The time of [`Output::Timer`] has come. A timer that fires too early, late or twice does no harm.
    Timer,
    /// The watch delivered the lease; none if it was deleted.
    Watched(Option<ObservedLease>),
    /// The answer to [`Output::Read`]; none if the lease does not exist.
    Read(LeaseAnswer<Option<ObservedLease>>),
    /// The answer to [`Output::Create`], [`Output::Update`] or [`Output::Release`]: the lease as it is stored now.
    Written(LeaseAnswer<ObservedLease>),
    /// The overlapping leases in the watch have changed. This does not end a term, because the other replica also observes this replica's lease.
    Overlap(Option<Overlap>),
    /// The answer to [`Output::CheckOverlap`].
    OverlapChecked(LeaseAnswer<Option<Overlap>>),
    /// True if this replica may take one more bucket (LDR-35). Without this input it may take all. A bucket counts from the write that gains it, so
    /// the electors of a replica are told one after the other.
    Room(bool),
    /// The promotion hook ended; false if it failed.
    Promoted(bool),
    /// The passes of the bucket ended: after [`Output::CancelTerm`], or after [`Input::Shutdown`] because no new ones are started.
    Drained,
    /// The demotion hook ended, successfully or not.
    Demoted,
    /// The term was over on the replica's clock before the answer to its renewal; it stays over although the elector counted the answer as in time.
    TermEnded,
    /// The replica stops. Passes of the bucket may continue until they end; the lease is renewed meanwhile.
    Shutdown,
}

/// An action for the runtime, to be executed in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Reads the lease. A read that is not `live` may be answered from a watch that is in sync.
    Read {
        /// True if the API server itself must answer.
        live: bool,
    },
    /// Creates the lease.
    Create(LeaseWrite),
    /// Updates this version of the lease.
    Update(LeaseWrite, ObservedLease),
    /// Releases this version of the lease, with an update whose failure has no consequence.
    Release(LeaseWrite, ObservedLease),
    /// Lists the leases of the namespace on the API server, not in a cache, and reports those that overlap.
    CheckOverlap,
    /// Runs the promotion hook.
    Promote(Term),
    /// Activates the bucket: its keys are queued.
    Activate(Term),
    /// Reports that the term was renewed and has a new end.
    Renewed(Term),
    /// Ends the term: its token is cancelled and its keys are purged. [`Input::Drained`] reports the end of its passes.
    CancelTerm,
    /// Runs the demotion hook.
    Demote,
    /// Requests [`Input::Timer`] at this time; replaces the previous timer.
    Timer(Moment),
    /// Reports that the elector has ended. It ignores all further inputs.
    Released,
}
