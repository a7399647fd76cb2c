//! The time from a write to its pass.

use std::fmt;

/// Two quantiles, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latency {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

impl Latency {
    /// Parses the line of a report: nanoseconds, separated by commas.
    pub(crate) fn parse(text: &str) -> Self {
        let mut all: Vec<i64> = text.split(',').map(|latency| latency.parse().unwrap()).collect();
        all.sort_unstable();
        let quantile = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)] as f64 / 1e6;
        Self { median: quantile(50), p99: quantile(99) }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9.2} {:>9.2}", self.median, self.p99)
    }
}
