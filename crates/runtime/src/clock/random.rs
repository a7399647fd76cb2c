use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A seeded source of random numbers (SplitMix64). Clones draw from the same sequence.
///
/// Good for jitter, not for secrets.
#[derive(Clone, Debug)]
pub struct Random {
    state: Arc<AtomicU64>,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Returns the sequence of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { state: Arc::new(AtomicU64::new(seed)) }
    }

    /// Returns a sequence whose seed differs from process to process.
    pub fn from_entropy() -> Self {
        Self::seeded(RandomState::new().build_hasher().finish())
    }

    /// Returns the next number.
    pub fn next_u64(&self) -> u64 {
        let mut z = self.state.fetch_add(GOLDEN, Ordering::Relaxed).wrapping_add(GOLDEN);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..end`, or 0 if `end` is 0.
    pub fn below(&self, end: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// Returns a number in `[0, 1)`.
    pub fn unit(&self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns `duration` times a factor drawn from `[1 - share, 1 + share)`.
    pub fn spread(&self, duration: Duration, share: f64) -> Duration {
        let factor = 1.0 - share + 2.0 * share * self.unit();
        duration.mul_f64(factor.max(0.0))
    }
}
