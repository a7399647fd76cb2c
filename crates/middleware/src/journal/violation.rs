//! The error of an assertion over the journal.

use std::fmt;
use std::sync::Arc;

use super::Record;

/// The maximum number of requests that a message lists.
const LISTED: usize = 20;

/// An expectation that the journal does not meet. `Debug` prints the same text as `Display`, so that `unwrap` in a test reads well.
#[derive(Clone)]
pub struct Violation {
    expectation: String,
    requests: Vec<Arc<Record>>,
}

impl Violation {
    pub(super) fn new(expectation: impl Into<String>, requests: Vec<Arc<Record>>) -> Self {
        Self { expectation: expectation.into(), requests }
    }

    /// Returns the requests that break the expectation.
    pub fn requests(&self) -> &[Arc<Record>] {
        &self.requests
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.expectation)?;
        for record in self.requests.iter().take(LISTED) {
            write!(formatter, "\n  {record}")?;
        }
        match self.requests.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(formatter, "\n  and {more} more"),
        }
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Violation {}
