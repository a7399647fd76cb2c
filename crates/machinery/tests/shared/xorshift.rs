//! Random numbers of tests.

/// A random number generator with a seed, which is not zero.
pub(crate) struct Xorshift(pub(crate) u64);

impl Xorshift {
    /// Returns a number below a bound, or zero below zero.
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// Returns the number in a variable of the environment, such as a seed or a number of rounds.
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}
