//! Numbers of the cost model: ranges of sizes and costs that never overflow.

/// The minimum and maximum of a size or a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Range {
    pub(super) const NOTHING: Self = Self::exactly(0);
    pub(super) const ANY: Self = Self { min: 0, max: u64::MAX };

    pub(super) const fn exactly(value: u64) -> Self {
        Self { min: value, max: value }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Multiplies the range by a factor and rounds up.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let scale = |value: u64| (value as f64 * factor).ceil() as u64;
        Self { min: scale(self.min), max: scale(self.max) }
    }

    /// Returns the smallest range that contains both ranges.
    pub(super) fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// The cost of reading a text once, per byte.
pub(super) const TRAVERSAL: f64 = 0.1;
/// The cost of a regular expression on a text of cost one, per character.
pub(super) const REGEX: f64 = 0.25;
