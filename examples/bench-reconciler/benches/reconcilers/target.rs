//! The targets of the figures.

use std::fmt;

/// A figure and its upper limit.
#[derive(Debug)]
pub(crate) struct Target {
    title: String,
    figure: f64,
    most: f64,
    unit: &'static str,
}

impl Target {
    pub(crate) fn new(title: impl Into<String>, figure: f64, most: f64, unit: &'static str) -> Self {
        Self { title: title.into(), figure, most, unit }
    }

    pub(crate) fn is_met(&self) -> bool {
        self.figure <= self.most
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_met() { "met" } else { "MISSED" };
        write!(f, "{verdict:<7} {:<48} {:>9.2} of at most {:>8.2} {}", self.title, self.figure, self.most, self.unit)
    }
}
