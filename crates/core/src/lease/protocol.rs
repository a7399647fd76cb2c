//! The inputs and the outputs of an elector.

use super::{LeaseWrite, ObservedLease, Overlap};
use crate::time::Moment;

/// The time during which a replica leads one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Term {
    /// The number of the term among those of its bucket (LDR-14). The next holder has a larger one.
    pub epoch: u64,
    /// When the term ends unless it is renewed: the renew deadline after its last successful write was sent.
    pub valid_until: Moment,
    /// The earliest time at which another replica could take the lease over. Requests that were sent in time must end before it.
    pub safe_until: Moment,
}

impl Term {
    /// The term of a bucket that has no lease: nothing ends it before this time.
    pub const fn unlimited(end: Moment) -> Self {
        Self { epoch: 0, valid_until: end, safe_until: end }
    }
}

/// How the API server answered a request about a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseAnswer<T> {
    /// It was done.
    Ok(T),
    /// Of writes only: the lease has changed since it was seen, exists already, or is gone. Nothing was written.
    Conflict,
    /// Anything else, also no answer in time. Whether a write was done is unknown.
    Error,
}

/// Something that happened to an elector's bucket. An answer belongs to the one request that is in flight; an elector never asks for a
/// second one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The elector begins to campaign.
    Start,
    /// The time of [`Output::Timer`] has come. A timer that fires too early, late or twice does no harm.
    Timer,
    /// The watch delivered the lease; none when it was deleted.
    Watched(Option<ObservedLease>),
    /// The answer to [`Output::Read`]; none if the lease does not exist.
    Read(LeaseAnswer<Option<ObservedLease>>),
    /// The answer to [`Output::Create`], [`Output::Update`] or [`Output::Release`]: the lease as it is stored now.
    Written(LeaseAnswer<ObservedLease>),
    /// The overlapping leases that the watch shows have changed. That does not end a term: the other replica sees ours, too.
    Overlap(Option<Overlap>),
    /// The answer to [`Output::CheckOverlap`].
    OverlapChecked(LeaseAnswer<Option<Overlap>>),
    /// Whether this replica may take one more bucket (LDR-35). Without this input it may take all. A bucket counts from the write that
    /// gains it, so the electors of a replica are told one after the other.
    Room(bool),
    /// The promotion hook ended; false if it failed.
    Promoted(bool),
    /// The passes of the bucket ended: after [`Output::CancelTerm`], or after [`Input::Shutdown`] because no new ones are started.
    Drained,
    /// The demotion hook ended, whether it failed or not.
    Demoted,
    /// The term was over on the replica's clock before a renewal of it was answered, and stays so although the elector took the answer for one in time.
    TermEnded,
    /// The replica stops. Passes of the bucket may go on until they end; the lease is renewed meanwhile.
    Shutdown,
}

/// Something that the runtime has to do, in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Read the lease. A read that need not be `live` may be answered by a watch that is in sync.
    Read {
        /// Whether the API server itself must answer.
        live: bool,
    },
    /// Create the lease.
    Create(LeaseWrite),
    /// Update this version of the lease.
    Update(LeaseWrite, ObservedLease),
    /// Release this version of the lease: an update whose failure changes nothing.
    Release(LeaseWrite, ObservedLease),
    /// List the leases of the namespace on the API server, not in a cache, and say which of them overlap.
    CheckOverlap,
    /// Run the promotion hook.
    Promote(Term),
    /// The bucket is active from now on: its keys are queued.
    Activate(Term),
    /// The term was renewed. It has another end now.
    Renewed(Term),
    /// The term is over: its token is cancelled and its keys are purged. [`Input::Drained`] tells the end of its passes.
    CancelTerm,
    /// Run the demotion hook.
    Demote,
    /// Send [`Input::Timer`] at this time; it replaces the timer before.
    Timer(Moment),
    /// The elector has ended. It ignores everything from now on.
    Released,
}
