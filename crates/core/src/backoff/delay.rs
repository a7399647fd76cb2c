//! A length of time that cannot be zero.

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

/// A delay: at least one nanosecond, at most about 584 years.
///
/// ```
/// use kubewright_core::flow::Delay;
/// assert_eq!(Delay::secs::<90>().to_string(), "1m30s");
/// ```
///
/// A constant delay of zero does not compile:
///
/// ```compile_fail
/// let never = kubewright_core::flow::Delay::secs::<0>();
/// ```
///
/// A bare number is not a delay:
///
/// ```compile_fail
/// let bare: kubewright_core::flow::Delay = 15.into();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delay(NonZeroU64);

/// The error of a delay of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("make a delay of zero; the smallest delay is 1ns")]
pub struct ZeroDelay;

impl Delay {
    /// The smallest delay, one nanosecond.
    pub const MIN: Self = Self(NonZeroU64::MIN);

    /// Creates a delay of `N` milliseconds.
    pub const fn millis<const N: u64>() -> Self {
        const { Self::constant(N, 1_000_000) }
    }

    /// Creates a delay of `N` seconds.
    pub const fn secs<const N: u64>() -> Self {
        const { Self::constant(N, 1_000_000_000) }
    }

    /// Creates a delay of `N` minutes.
    pub const fn minutes<const N: u64>() -> Self {
        const { Self::constant(N, 60_000_000_000) }
    }

    /// Creates a delay of `N` hours.
    pub const fn hours<const N: u64>() -> Self {
        const { Self::constant(N, 3_600_000_000_000) }
    }

    /// Converts a duration; zero becomes the smallest delay. For remaining times, where zero means "now".
    pub fn at_least_min(duration: Duration) -> Self {
        Self::try_from(duration).unwrap_or(Self::MIN)
    }

    /// Converts the delay to a duration.
    pub const fn as_duration(self) -> Duration {
        Duration::from_nanos(self.0.get())
    }

    /// Rounds the delay for display: to milliseconds below a second, to tenths below ten seconds, otherwise to seconds.
    #[must_use]
    pub fn rounded(self) -> Self {
        let nanos = self.0.get();
        let unit = match nanos {
            0..1_000_000 => 1,
            1_000_000..1_000_000_000 => 1_000_000,
            1_000_000_000..10_000_000_000 => 100_000_000,
            _ => 1_000_000_000,
        };
        let rounded = (nanos.saturating_add(unit / 2)) / unit * unit;
        NonZeroU64::new(rounded).map_or(self, Self)
    }

    /// Multiplies the delay by a factor, within the smallest and the largest delay.
    #[must_use]
    pub(crate) fn scaled(self, factor: f64) -> Self {
        NonZeroU64::new((self.0.get() as f64 * factor) as u64).map_or(Self::MIN, Self)
    }

    #[track_caller]
    const fn constant(count: u64, unit: u64) -> Self {
        assert!(count > 0, "a delay cannot be zero; write one that is longer, or `Delay::MIN`");
        assert!(count <= u64::MAX / unit, "a delay is at most about 584 years");
        match NonZeroU64::new(count * unit) {
            Some(nanos) => Self(nanos),
            None => Self::MIN,
        }
    }
}

impl TryFrom<Duration> for Delay {
    type Error = ZeroDelay;

    fn try_from(duration: Duration) -> Result<Self, ZeroDelay> {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        NonZeroU64::new(nanos).map(Self).ok_or(ZeroDelay)
    }
}

impl From<Delay> for Duration {
    fn from(delay: Delay) -> Self {
        delay.as_duration()
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::time::write_human(f, self.as_duration())
    }
}
