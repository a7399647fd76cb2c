//! The properties of elections under all faults: never two holders of a key, no demotion before the end of its promotion, and a free bucket is always
//! taken in the end.

use std::ops::Range;

use super::world::{Chance, Setup, World};
use crate::backoff::Rng;

const SECOND: u64 = 1000;

/// A generator of decisions that counts like an odometer, so that it produces all sequences.
#[derive(Default)]
struct Odometer {
    digits: Vec<(u64, u64)>,
    next: usize,
}

impl Odometer {
    /// Advances to the next sequence; returns false after the last one.
    fn turn(&mut self) -> bool {
        self.next = 0;
        while let Some((digit, options)) = self.digits.pop() {
            if digit + 1 < options {
                self.digits.push((digit + 1, options));
                return true;
            }
        }
        false
    }
}

impl Chance for Odometer {
    fn pick(&mut self, options: u64) -> u64 {
        if self.next == self.digits.len() {
            self.digits.push((0, options));
        }
        let (digit, _) = self.digits[self.next];
        self.next += 1;
        digit
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs all fates of these requests, and returns the number of runs.
fn exhaust(replicas: usize, buckets: Option<u32>, guarded: bool, fates: &Range<u64>) -> u64 {
    let mut odometer = Odometer::default();
    let mut runs = 0;
    loop {
        let setup = Setup { replicas, buckets, fates: Some(fates.clone()), guarded };
        let label = format!("{replicas} replicas, buckets {buckets:?}, requests {fates:?}, choices {:?}", odometer.digits);
        World::new(&mut odometer, setup, label).run(50 * SECOND, 60 * SECOND);
        runs += 1;
        if !odometer.turn() {
            return runs;
        }
    }
}

// LDR-20 to LDR-26: each fate of each of the first requests, in all combinations
#[test]
fn replicas_survive_every_fate_of_their_first_requests() {
    let depth = number("KUBEWRIGHT_LEASE_DEPTH", 4);
    for (replicas, buckets, guarded) in [(2, 1, false), (3, 1, true), (2, 2, false)] {
        assert_eq!(exhaust(replicas, Some(buckets), guarded, &(1..1 + depth)), 7_u64.pow(depth as u32));
    }
}

// LDR-20 to LDR-26: each fate of each request and of the one that follows, through start, renewal, release and take-over
#[test]
fn replicas_survive_every_fate_of_any_two_requests_in_a_row() {
    for first in 1..=number("KUBEWRIGHT_LEASE_REQUESTS", 40) {
        exhaust(2, Some(1), first % 2 == 0, &(first..first + 2));
    }
}

// LDR-33: each fate of the first requests of replicas with any numbers of buckets
#[test]
fn replicas_with_different_numbers_of_buckets_survive_every_fate_of_their_first_requests() {
    assert_eq!(exhaust(2, None, true, &(1..4)), 9 * 7 * 7 * 7);
}

// LDR-1, LDR-20 to LDR-26, LDR-33 to LDR-35
#[test]
fn replicas_survive_random_schedules() {
    let first = number("KUBEWRIGHT_LEASE_SEED", 0);
    let schedules = number("KUBEWRIGHT_LEASE_SCHEDULES", 300);
    let (mut promotions, mut deletions) = (0, 0);
    for seed in first..first + schedules {
        let mut rng = Rng::seeded(seed);
        // Half of the schedules do not change the number of buckets, so that more happens inside one set.
        let buckets = if seed % 2 == 0 { None } else { Some(1 + (seed / 2 % 3) as u32) };
        let setup =
            Setup { replicas: 1 + (seed % 3) as usize, buckets, fates: None, guarded: buckets.is_none() || seed % 4 == 1 };
        let mut world = World::new(&mut rng, setup, format!("KUBEWRIGHT_LEASE_SEED={seed}"));
        world.run(150 * SECOND, 150 * SECOND);
        promotions += world.promotions;
        deletions += world.deletions;
    }
    eprintln!("{schedules} schedules, {promotions} promotions, {deletions} leases cleaned up");
    assert!(promotions > schedules && deletions > schedules / 20);
}
