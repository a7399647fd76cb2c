//! Explanations of passes as data: their causes, their writes and their outcomes, with the last passes of each key in bounded memory.
//!
//! [`Causes`] collects the causes for which a key is queued while it waits. Each [`QueuedBy`] is a watch event with the fields that it changed
//! ([`changed_paths`]), a timer, a resync, the first list, or a request by code. A [`PassRecord`] joins the causes of a pass with its writes and its
//! outcome, and [`History`] keeps the last ones. Paths name fields; values of objects are never stored here.

mod cause;
mod causes;
mod history;
mod paths;
mod record;
mod writes;

#[cfg(test)]
mod tests;

pub use cause::{ObjectChange, ObjectChangeKind, QueuedBy};
pub use causes::Causes;
pub use history::{History, HistoryLimits};
pub use paths::{ChangedPaths, changed_paths};
pub use record::{PassOutcome, PassRecord};
pub use writes::{PassWrite, PassWrites, WriteVerb};
