//! Random numbers for keys.

use rand_core::{CryptoRng, Error, RngCore};
use sha2::{Digest, Sha256};

use crate::function::TemplateHost;

/// A generator whose seed are bytes of the host: the hashes of the seed with a counter. Keys need so many numbers, and these of such a quality, that the
/// bytes of a host alone may not do.
pub(super) struct SeededGenerator {
    seed: [u8; 32],
    counter: u64,
    bytes: [u8; 32],
    used: usize,
}

impl SeededGenerator {
    /// Creates a generator.
    pub(super) fn new(host: &dyn TemplateHost) -> Self {
        let mut seed = [0; 32];
        host.fill_random(&mut seed);
        Self { seed, counter: 0, bytes: [0; 32], used: 32 }
    }
}

impl RngCore for SeededGenerator {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn fill_bytes(&mut self, buffer: &mut [u8]) {
        for byte in buffer {
            if self.used == self.bytes.len() {
                let hash = Sha256::new().chain_update(self.seed).chain_update(self.counter.to_le_bytes());
                self.bytes = hash.finalize().into();
                self.counter += 1;
                self.used = 0;
            }
            *byte = self.bytes[self.used];
            self.used += 1;
        }
    }

    fn try_fill_bytes(&mut self, buffer: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(buffer);
        Ok(())
    }
}

impl CryptoRng for SeededGenerator {}
