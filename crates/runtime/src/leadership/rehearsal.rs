//! The leadership of replicas whose take-overs a user watches with the command `dev`.

use std::num::NonZeroU32;
use std::time::Duration;

use super::Leadership;

/// The timing of leases while take-overs are watched: lease duration, renew deadline and retry period.
const DURATIONS: [Duration; 3] = [Duration::from_secs(5), Duration::from_secs(4), Duration::from_secs(1)];

impl Leadership {
    /// Returns the leadership of an operator that `dev` runs with this number of replicas: balanced among them, with durations of 5 s, 4 s and 1 s. A single
    /// bucket is replaced by one for each replica, unless its lease has an explicit name. Returns None without leases, because then no replica takes over
    /// from another.
    pub fn rehearsed(self, replicas: NonZeroU32) -> Option<Self> {
        let sharing = self.sharing().filter(|sharing| sharing.has_leases())?;
        let configured = sharing.base.buckets;
        let buckets = if configured.get() == 1 && !sharing.is_named() { replicas } else { configured };
        let [lease, renew, retry] = DURATIONS;
        Some(self.buckets(buckets.get()).replicas(replicas.get() as usize).timing(lease, renew, retry))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn rehearsed(leadership: Leadership) -> Option<(u32, Option<usize>, Duration)> {
        let rehearsed = leadership.rehearsed(NonZeroU32::new(3).unwrap())?;
        let sharing = rehearsed.sharing().unwrap();
        assert_eq!(sharing.problems(), [""; 0]);
        Some((sharing.base.buckets.get(), sharing.replicas.map(NonZeroUsize::get), sharing.base.timing.lease_duration()))
    }

    // CMD-2a
    #[test]
    fn a_rehearsal_has_a_bucket_per_replica_unless_buckets_or_the_lease_name_are_set() {
        let of = |buckets| Some((buckets, Some(3), Duration::from_secs(5)));
        assert_eq!(rehearsed(Leadership::leases()), of(3));
        assert_eq!(rehearsed(Leadership::leases().buckets(2)), of(2));
        assert_eq!(rehearsed(Leadership::leases().buckets(5).replicas(2)), of(5));
        assert_eq!(rehearsed(Leadership::leases().lease_name("one")), of(1));
    }

    // CMD-2a
    #[test]
    fn without_leases_there_is_no_take_over() {
        assert_eq!(rehearsed(Leadership::off()), None);
        assert_eq!(rehearsed(Leadership::ordinal_from_env()), None);
    }
}
