//! The journal: one record per request, and assertions over them (JRN-1 to JRN-5).
//!
//! ```
//! use kubewright_middleware::{Clock, Journal};
//!
//! let journal = Journal::new(Clock::system());
//! let mark = journal.mark();
//! // ... requests pass through journal.layer() ...
//! journal.since(mark).by_user_agent("podinfo-operator").no_writes()?;
//! # Ok::<(), kubewright_middleware::journal::Violation>(())
//! ```

mod audit;
mod body;
mod effect;
mod log;
mod mask;
mod record;
mod records;
mod service;
#[cfg(test)]
mod tests;
mod violation;

pub use body::JournalBody;
pub use effect::{CommittedChange, Effect};
pub use log::{BodyDecoder, Journal, Mark};
pub use record::{ChangeKind, ChangedObject, Outcome, Record};
pub use records::Records;
pub use service::{AUDIT_ID, JournalService, RecordNote};
pub use violation::Violation;
