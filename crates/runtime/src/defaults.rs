//! The defaults of an operator and of its connections. The delays of retries and waits are those of [`kubewright_core::backoff::Timing`].

use std::time::Duration;

/// The time limit of the answer to a request, counted from the moment at which it is sent.
pub(crate) const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

/// The number of requests to one cluster that may be in flight, not counting watches. A busy component may have that many, and they suffice to keep an API
/// server busy; each further connection costs a handshake and 50 KiB.
pub(crate) const REQUESTS_IN_FLIGHT: usize = 16;

/// The age after which the types that a cluster serves are read again at their next use, if definitions are not watched.
pub(crate) const TYPES_AGE: Duration = Duration::from_mins(10);

/// The time for which the server keeps a watch open.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_secs(290);

/// The time for which a watch is kept after its last user has left.
pub(crate) const WATCH_LINGER: Duration = Duration::from_mins(1);

/// The number of objects per page of a list.
pub(crate) const LIST_PAGE: u32 = 500;

/// The number of concurrent passes of a controller.
pub(crate) const WORKERS: usize = 2;

/// The time that a cancelled pass has to end by itself.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// The period of the resync, which reconciles all objects again.
pub(crate) const RESYNC: Duration = Duration::from_hours(10);

/// The time limit of each phase of the start.
pub(crate) const STARTUP_TIMEOUT: Duration = Duration::from_mins(5);

/// The time limit of an orderly shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(25);

/// The time for which a target cluster is kept after its last user has left (TGT-4).
pub(crate) const TARGET_LINGER: Duration = Duration::from_mins(15);

/// The time limit of the first answer of a target cluster.
pub(crate) const TARGET_FIRST_ANSWER: Duration = Duration::from_secs(5);

/// The time after which a target cluster that does not answer is checked again.
pub(crate) const TARGET_AGAIN: Duration = Duration::from_secs(10);

/// Returns the finalizer of a hand-written reconciler: `<group>/<operator>-<kind in lower case>`. A kind of the core group has the domain of labels instead.
pub(crate) fn finalizer_name(group: &str, kind: &str, operator: &str, label_domain: &str) -> String {
    let domain = if group.is_empty() { label_domain } else { group };
    format!("{domain}/{operator}-{}", kind.to_ascii_lowercase())
}
