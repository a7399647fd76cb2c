//! The ConfigMap `config-leader-election` (CFG-30).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use kubewright_machinery::object::names::dns_1123_subdomain;
use kubewright_machinery::quantity::GoDuration;

use super::PrefixMap;
use crate::config::{ConfigErrors, ConfigValue, Field, FromConfigMap, Parsed, Parser, Reader, ValueError};

/// The largest number of buckets, unless an operator sets another one.
pub const MOST_BUCKETS: NonZeroU32 = NonZeroU32::new(10).unwrap(); // a constant, so that the compiler checks it

const PREFIXES: &str = "map-lease-prefix";

/// The durations of leases and the intervals of their renewal.
///
/// A value obeys `lease duration > renew deadline > 1.2 × retry period > 0`, so that a term ends before another replica can take its lease, and there
/// is time for a second try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTiming {
    lease_duration: Duration,
    renew_deadline: Duration,
    retry_period: Duration,
}

/// The error of durations that cannot be used together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "lease-duration {}, renew-deadline {} and retry-period {} cannot be used together; lease-duration must be longer than renew-deadline, \
     renew-deadline longer than 1.2 × retry-period, and retry-period longer than 0s",
    GoDuration::from(*.lease_duration), GoDuration::from(*.renew_deadline), GoDuration::from(*.retry_period)
)]
pub struct InvalidLeaseTiming {
    lease_duration: Duration,
    renew_deadline: Duration,
    retry_period: Duration,
}

impl LeaseTiming {
    /// Creates a timing; fails if the durations cannot be used together.
    pub fn new(lease_duration: Duration, renew_deadline: Duration, retry_period: Duration) -> Result<Self, InvalidLeaseTiming> {
        let renewable = renew_deadline.saturating_mul(10) > retry_period.saturating_mul(12);
        if lease_duration > renew_deadline && renewable && !retry_period.is_zero() {
            Ok(Self { lease_duration, renew_deadline, retry_period })
        } else {
            Err(InvalidLeaseTiming { lease_duration, renew_deadline, retry_period })
        }
    }

    /// Returns the time for which a lease belongs to its holder without a renewal. Default: 60 s.
    pub const fn lease_duration(self) -> Duration {
        self.lease_duration
    }

    /// Returns the time for which a holder leads after it sent its last successful renewal. Default: 40 s.
    pub const fn renew_deadline(self) -> Duration {
        self.renew_deadline
    }

    /// Returns the time between two renewals, and the shortest one between two tries to gain a lease. Default: 10 s.
    pub const fn retry_period(self) -> Duration {
        self.retry_period
    }

    /// Returns the lease duration as a record states it: in whole seconds, rounded up, because others take the lease over after it.
    pub(super) fn stated_seconds(self) -> u32 {
        let seconds = self.lease_duration.as_secs() + u64::from(self.lease_duration.subsec_nanos() > 0);
        u32::try_from(seconds).unwrap_or(u32::MAX).min(i32::MAX as u32)
    }
}

impl Default for LeaseTiming {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { lease_duration: seconds(60), renew_deadline: seconds(40), retry_period: seconds(10) }
    }
}

/// The values of the ConfigMap `config-leader-election`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaderElection {
    /// The durations of all leases.
    pub timing: LeaseTiming,
    /// The number of buckets. Default: 1.
    pub buckets: NonZeroU32,
    /// The numbers of buckets of single controllers, for one lease set per controller.
    pub controllers: BTreeMap<String, NonZeroU32>,
    /// Replacements of lease name prefixes.
    pub prefixes: PrefixMap,
}

impl Default for LeaderElection {
    fn default() -> Self {
        Self {
            timing: LeaseTiming::default(),
            buckets: NonZeroU32::MIN,
            controllers: BTreeMap::new(),
            prefixes: PrefixMap::default(),
        }
    }
}

impl LeaderElection {
    /// Returns the number of buckets of a controller: its own one, or else that of the operator.
    pub fn buckets_of(&self, controller: &str) -> NonZeroU32 {
        self.controllers.get(controller).copied().unwrap_or(self.buckets)
    }

    /// Reads the data of the ConfigMap. Keys that are absent keep the value of this configuration; `most` is the largest allowed number of buckets.
    pub fn updated(&self, data: &BTreeMap<String, String>, most: NonZeroU32) -> Result<Parsed<Self>, ConfigErrors> {
        let text = |duration: Duration| GoDuration::from(duration).to_string();
        let range = format!("1..={most}");
        let number = |key| Field::parsed_by(key, Parser::new(bucket_count, || None)).range(&range);
        let mut reader = Reader::new(data);
        let mut duration = |key, former, default: &str| reader.read(&Field::<Duration>::new(key).alias(former).default(default));
        let lease = duration("lease-duration", "leaseDuration", &text(self.timing.lease_duration));
        let deadline = duration("renew-deadline", "renewDeadline", &text(self.timing.renew_deadline));
        let retry = duration("retry-period", "retryPeriod", &text(self.timing.retry_period));
        let buckets = reader.read(&number("buckets").default(&self.buckets.to_string()));
        let controllers = reader.collect(&number("buckets"));
        let mapped = reader.collect(&Field::<String>::new(PREFIXES));
        let parsed = reader.finish(|| Ok((lease?, deadline?, retry?, buckets?, controllers?, mapped?)))?;
        let (lease, deadline, retry, buckets, controllers, mapped) = parsed.value;

        let mut errors = None;
        let mut wrong = |key: String, cause: ValueError| {
            errors = Some(match errors.take() {
                None => ConfigErrors::new(key, cause),
                Some(errors) => ConfigErrors::and(errors, key, cause),
            });
        };
        let timing = LeaseTiming::new(lease, deadline, retry).unwrap_or_else(|error| {
            wrong("lease-duration".to_owned(), ValueError::new(error));
            self.timing
        });
        let mut prefixes = PrefixMap::default();
        for (from, to) in &mapped {
            let key = format!("{PREFIXES}.{from}");
            // A prefix alone is not a name, so the checked name includes the number that follows it.
            if let Some(problem) = dns_1123_subdomain(&format!("{to}.00-of-00").to_lowercase()).into_iter().next() {
                wrong(key, ValueError::new(format_args!("must be the beginning of a lease name, but is {to:?}: {problem}")));
            } else if !prefixes.insert(from, to) {
                let cause = "another key maps the same prefix, in letters of another case, to another one";
                wrong(key, ValueError::new(format_args!("{cause}; remove one of them, or this value {to:?}")));
            }
        }
        prefixes.extend(&self.prefixes);
        if let Some(errors) = errors {
            return Err(errors);
        }
        let value = Self { timing, buckets, controllers, prefixes };
        Ok(Parsed { value, unknown_keys: parsed.unknown_keys })
    }
}

fn bucket_count(text: &str) -> Result<NonZeroU32, ValueError> {
    let count = u32::parse(text).ok().and_then(NonZeroU32::new);
    count.ok_or_else(|| ValueError::new(format_args!("must be a whole number of at least 1, but is {text:?}")))
}

impl FromConfigMap for LeaderElection {
    const NAME: &'static str = "config-leader-election";
    const REQUIRED: bool = false;
    const EXAMPLE_CHECKSUM: bool = true;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        Self::default().updated(data, MOST_BUCKETS)
    }
}
