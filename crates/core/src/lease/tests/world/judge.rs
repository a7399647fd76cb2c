//! Conditions that hold at all times, and conditions that hold in the end.

use super::replica::{HookMood, WorldBucket};
use super::state::{Chance, KEYS, World};

impl<C: Chance> World<'_, C> {
    /// Checks that no key has two holders: no other replica holds one of the keys of this bucket in a term that is not over.
    pub(super) fn judge(&self, index: usize, number: usize, context: &dyn Fn() -> String) {
        for (other_index, other) in self.replicas.iter().enumerate().filter(|(other, _)| *other != index) {
            let now = other.local(self.now);
            let holds = |bucket: &WorldBucket| bucket.term.is_some_and(|term| now < term.safe_until);
            if other.is_dead {
                continue;
            }
            for key in 0..KEYS {
                let theirs = self.owners[other.scheme][key];
                let is_shared = self.owners[self.replicas[index].scheme][key] == number && holds(&other.buckets[theirs]);
                assert!(!is_shared, "two holders of key {key}: {}, and replica {other_index} bucket {theirs}", context());
            }
        }
    }

    pub(super) fn judge_the_end(&self) {
        for key in 0..KEYS {
            let mut holders = Vec::new();
            for replica in self.replicas.iter().filter(|replica| replica.is_working()) {
                let bucket = &replica.buckets[self.owners[replica.scheme][key]];
                let is_valid = bucket.term.is_some_and(|term| replica.local(self.now) < term.valid_until);
                if bucket.hooks == HookMood::Active && is_valid {
                    holders.push(&replica.identity);
                }
            }
            let states = self.replicas.iter().filter(|replica| replica.is_working()).map(|replica| {
                let states: Vec<_> = replica.buckets.iter().map(|bucket| bucket.elector.state()).collect();
                format!("{} {states:?}", replica.identity)
            });
            assert_eq!(holders.len(), 1, "{}: holders {holders:?} of key {key} of {:?}", self.label, states.collect::<Vec<_>>());
        }
    }
}
