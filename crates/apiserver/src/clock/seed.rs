//! Seeded randomness: the same seed and the same order of requests give the same ids and names.

use std::hash::{BuildHasher, Hasher, RandomState};

use parking_lot::Mutex;

/// The alphabet of generated names: no vowels and nothing that reads like another character.
const NAME_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A seeded source of ids, name suffixes and random waits.
#[derive(Debug)]
pub struct Seed {
    state: Mutex<u64>,
}

impl Seed {
    /// A source that always yields the same sequence for the same number.
    pub fn new(seed: u64) -> Self {
        Self { state: Mutex::new(seed) }
    }

    /// A source that differs in each process.
    pub fn from_os() -> Self {
        Self::new(RandomState::new().build_hasher().finish())
    }

    /// The next number (SplitMix64).
    pub fn next_u64(&self) -> u64 {
        let mut state = self.state.lock();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next_u64() % bound }
    }

    /// A version 4 UUID.
    pub fn uuid(&self) -> String {
        let high = (self.next_u64() & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (self.next_u64() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// Five characters that complete a generated name.
    pub fn name_suffix(&self) -> String {
        (0..5).map(|_| char::from(NAME_ALPHABET[self.below(NAME_ALPHABET.len() as u64) as usize])).collect()
    }
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

    // META-1
    #[test]
    fn uuids_are_of_version_four() {
        let id = Seed::new(1).uuid();
        assert_eq!(id.len(), 36);
        assert_eq!(&id[14..15], "4");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
    }
}
