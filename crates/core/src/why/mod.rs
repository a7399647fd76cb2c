//! Why a pass ran, as data: what queued its key, what it wrote, how it ended, and the last passes of each key in bounded memory.
//!
//! [`Causes`] gathers what queues a key while it waits; each [`QueuedBy`] names a watch event with the fields that it changed
//! ([`changed_paths`]), a timer, a resync, the first list, or a request by code. A [`PassRecord`] joins the causes of a pass with its writes and its
//! outcome, and [`History`] keeps the last ones. Paths name fields; no value of an object is held anywhere here.

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
pub use writes::{Write, WriteVerb, Writes};
