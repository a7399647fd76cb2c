//! Seeded randomness: the same seed and the same order of requests give the same ids and names.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The alphabet of generated names: no vowels, and no characters that can be mistaken for each other.
const NAME_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The increment of the generator's state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// A seeded source of ids, name suffixes and random waits.
#[derive(Debug)]
pub struct Seed {
    origin: u64,
    state: AtomicU64,
    forks: AtomicU64,
}

impl Seed {
    /// Creates a source that always yields the same sequence for the same number.
    pub fn new(seed: u64) -> Self {
        Self { origin: seed, state: AtomicU64::new(seed), forks: AtomicU64::new(0) }
    }

    /// Returns an independent source, derived from this source's number and the count of earlier forks (FRK-1).
    pub fn fork(&self) -> Self {
        let nth = self.forks.fetch_add(1, Ordering::Relaxed) + 1;
        Self::new(mix(self.origin ^ mix(nth)))
    }

    /// Creates a source that differs in each process.
    pub fn from_os() -> Self {
        Self::new(RandomState::new().build_hasher().finish())
    }

    /// Returns the next number (SplitMix64).
    pub fn next_u64(&self) -> u64 {
        mix(self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP))
    }

    /// Returns a number below `bound`; 0 when the bound is 0.
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next_u64() % bound }
    }

    /// Returns a version 4 UUID.
    pub fn uuid(&self) -> String {
        // A UUID is ASCII.
        String::from_utf8(self.uuid_text().to_vec()).unwrap_or_default()
    }

    /// Returns the letters of a version 4 UUID.
    pub fn uuid_text(&self) -> [u8; 36] {
        let high = (self.next_u64() & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (self.next_u64() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        let mut text = [b'-'; 36];
        let mut at = 0;
        for byte in high.to_be_bytes().into_iter().chain(low.to_be_bytes()) {
            if matches!(at, 8 | 13 | 18 | 23) {
                at += 1;
            }
            text[at] = HEX[usize::from(byte >> 4)];
            text[at + 1] = HEX[usize::from(byte & 0xf)];
            at += 2;
        }
        text
    }

    /// Returns the five characters that complete a generated name.
    pub fn name_suffix(&self) -> String {
        (0..5).map(|_| char::from(NAME_ALPHABET[self.below(NAME_ALPHABET.len() as u64) as usize])).collect()
    }
}

fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    // DET-3
    #[test]
    fn equal_seeds_yield_equal_ids() {
        let (one, other) = (Seed::new(7), Seed::new(7));
        assert_eq!(one.uuid(), other.uuid());
        assert_eq!(one.name_suffix(), other.name_suffix());
    }

    // FRK-1, DET-3
    #[test]
    fn forks_are_equal_for_equal_seeds_and_unlike_each_other() {
        let (one, other) = (Seed::new(7), Seed::new(7));
        other.next_u64();
        let ids = |seed: &Seed| [seed.fork().uuid(), seed.fork().uuid()];
        let (a, b) = (ids(&one), ids(&other));
        assert_eq!(a, b);
        assert!(a[0] != a[1] && a[0] != one.uuid());
    }

    // META-1
    #[test]
    fn uuids_are_of_version_four() {
        let id = Seed::new(1).uuid();
        assert_eq!(id.len(), 36);
        assert_eq!(&id[14..15], "4");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
    }
}
