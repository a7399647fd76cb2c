//! Random choices with a seed.

/// A generator of random numbers (splitmix64): equal seeds make equal choices.
pub(super) struct SeededDice(u64);

impl SeededDice {
    pub(super) const fn new(seed: u64) -> Self {
        // Streams of seeds that follow each other would else be parts of each other.
        Self(mixed(seed))
    }

    /// Returns a number below a bound.
    pub(super) const fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(STEP);
        (mixed(self.0) % below as u64) as usize
    }

    /// Returns true in one of so many cases.
    pub(super) const fn one_in(&mut self, count: usize) -> bool {
        self.roll(count) == 0
    }

    /// Returns one of the items.
    pub(super) const fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.roll(items.len())]
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
