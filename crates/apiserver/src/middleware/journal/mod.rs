//! The journal: one record per request, and assertions over them (JRN-1 to JRN-5).
//!
//! ```
//! use kubewright_apiserver::{clock::Clock, middleware::Journal};
//!
//! let journal = Journal::new(Clock::system());
//! let mark = journal.mark();
//! // ... requests pass through journal.layer() ...
//! journal.since(mark).by_user_agent("podinfo-operator").no_writes()?;
//! # Ok::<(), kubewright_apiserver::middleware::journal::Violation>(())
//! ```

mod audit;
mod body;
mod log;
mod mask;
mod record;
mod records;
mod service;
#[cfg(test)]
mod tests;
mod violation;

pub use body::JournalBody;
pub use log::{Journal, Mark};
pub use record::{ChangedObject, Outcome, Record};
pub use records::Records;
pub(crate) use service::{AUDIT_ID, RecordNote};
pub use service::{JournalLayer, JournalService};
pub use violation::Violation;
