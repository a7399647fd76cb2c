//! Maps with a fast hash, for keys that an attacker does not choose.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// The hash of the Rust compiler.
#[derive(Clone, Copy, Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
