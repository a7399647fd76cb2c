//! Faults that last: for some time, every request of one verb for one resource fails.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kubewright_middleware::faults::RuleHandle;
use kubewright_middleware::{Status, Verb};
use parking_lot::Mutex;

use crate::TestCluster;
use crate::task::while_running;

/// The longest time from the end of a fault until the scenario is back in its expected state: the longest back-off, without its jitter.
pub(super) const RECOVERY: Duration = Duration::from_mins(1);

/// The delay that [`LastingFault::BusyFor`] asks for, in seconds.
const BUSY_FOR: u32 = 3;

/// The interval at which the player checks a step that takes long.
pub(super) const LOOK: Duration = Duration::from_secs(5);

/// The durations of faults in virtual time: shorter than a few retries take, as long as some back-offs, and longer than the longest back-off.
pub(super) const SPANS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(30), Duration::from_mins(5)];

/// The failure of the requests that a fault meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastingFault {
    /// Status 500, as for a request whose admission webhook cannot be reached.
    Error,
    /// Status 429 without `Retry-After`.
    Busy,
    /// Status 429 that asks for [`BUSY_FOR`] seconds, which is longer than a client holds a request back.
    BusyFor,
    /// The connection is refused.
    Refused,
}

impl LastingFault {
    pub(super) const ALL: [Self; 4] = [Self::Error, Self::Busy, Self::BusyFor, Self::Refused];

    /// Returns the largest number of additional requests that a scenario may send under a fault of this duration: three attempts for each object and
    /// pass, and the requests of watches, discovery and events.
    pub(super) fn most_requests(lasts: Duration) -> usize {
        60 + 40 * Self::most_passes(lasts)
    }

    /// Returns the largest number of retries of one object by reconcilers that wait for exactly the delay that the
    /// fault asks for; 0 for a fault without delay.
    pub(super) fn most_retries(self, lasts: Duration) -> usize {
        let retries = lasts.as_secs() / u64::from(BUSY_FOR);
        if self == Self::BusyFor { usize::try_from(retries).unwrap_or(usize::MAX) } else { 0 }
    }

    /// Returns the largest number of passes of one object during the fault, with retries after 1, 2, 4, 8, 16, 32, 60, 60, … seconds.
    pub(super) fn most_passes(lasts: Duration) -> usize {
        let waits = [1, 2, 4, 8, 16, 32].into_iter().chain(std::iter::repeat(60));
        let ends = waits.scan(0, |passed, wait| {
            *passed += wait;
            Some(*passed)
        });
        2 + ends.take_while(|end| *end < lasts.as_secs()).count()
    }
}

impl fmt::Display for LastingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "500",
            Self::Busy => "429",
            Self::BusyFor => "429 with Retry-After",
            Self::Refused => "connection refused",
        })
    }
}

/// A fault that begins with the first request that it meets.
pub(super) struct Lasting {
    rule: RuleHandle,
    ended: Arc<Mutex<Option<Duration>>>,
}

impl Lasting {
    pub(super) fn begin(
        cluster: &TestCluster,
        fault: LastingFault,
        (verb, group, plural): (Verb, &str, &str),
        lasts: Duration,
    ) -> Self {
        let builder = cluster.faults().on(verb).of(group, plural);
        let rule = match fault {
            LastingFault::Error => builder.internal_error(),
            LastingFault::Busy => builder.respond(Status::new(429, "TooManyRequests", "a disturbance")),
            LastingFault::BusyFor => builder.too_many_requests(BUSY_FOR),
            LastingFault::Refused => builder.drop_before(),
        };
        let ended = Arc::new(Mutex::new(None));
        let (journal, clock) = (cluster.journal().clone(), cluster.clock().clone());
        let (mark, end, met) = (journal.mark(), ended.clone(), rule.clone());
        let (group, plural) = (group.to_owned(), plural.to_owned());
        let wait = async move {
            let mut records = Box::pin(journal.stream(mark));
            while let Some(record) = records.next().await {
                let of = record.target.resource();
                if of.is_some_and(|of| of.verb == verb && of.group == group && of.resource == plural) {
                    break;
                }
            }
            clock.sleep(lasts).await;
            met.remove();
            *end.lock() = Some(clock.moment().0);
        };
        while_running(cluster.tasks(), "lasting fault", wait);
        Self { rule, ended }
    }

    /// Returns true if the fault has ended, or has met no request.
    pub(super) fn is_over(&self) -> bool {
        self.ended.lock().is_some() || self.rule.hits() == 0
    }

    /// Returns the time at which the fault ended; `None` if it met no request, or has not ended.
    pub(super) fn ended(&self) -> Option<Duration> {
        *self.ended.lock()
    }

    /// Ends the fault: it fails no further request.
    pub(super) fn end(&self) {
        self.rule.remove();
    }
}
