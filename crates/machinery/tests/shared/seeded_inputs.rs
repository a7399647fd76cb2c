//! Rounds of seeded inputs, none of which may make a function panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::xorshift::{Xorshift, number};

/// Runs a function with an input of each round. `KUBEWRIGHT_NONSENSE_SEED` and `KUBEWRIGHT_NONSENSE_ROUNDS` replace the seed and the number of rounds.
pub(crate) fn no_input_panics<R>(rounds: u64, mut input: impl FnMut(&mut Xorshift) -> Vec<u8>, run: impl Fn(&[u8]) -> R) {
    let seed = number("KUBEWRIGHT_NONSENSE_SEED", 14);
    let mut dice = Xorshift(seed.max(1));
    for round in 0..number("KUBEWRIGHT_NONSENSE_ROUNDS", rounds) {
        let bytes = input(&mut dice);
        let result = catch_unwind(AssertUnwindSafe(|| run(&bytes)));
        assert!(result.is_ok(), "seed {seed}, round {round}: {}", bytes.escape_ascii());
    }
}
