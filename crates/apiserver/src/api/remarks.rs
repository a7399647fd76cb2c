//! Remarks on a request for people who read its record.

use std::fmt;

/// A receiver of remarks, such as the record of a request in a journal.
pub trait Remarks: fmt::Debug + Send + Sync {
    /// Adds a remark.
    fn remark(&self, text: &str);
}
