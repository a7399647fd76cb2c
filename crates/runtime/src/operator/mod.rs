//! The operator process: builder, start phases, shutdown, and the standard command line.
//!
//! An [`Operator`] is built from [`Registration`]s. Each declares its needs before anything is started (CRDs, permissions, kinds that must be served), is
//! constructed with an [`OperatorContext`] when the cluster has passed the checks, and runs when the caches of all parts are filled.

mod background;
mod builder;
pub mod cli;
mod compat;
mod context;
mod declarations;
mod drive;
mod error;
mod health;
mod injected;
mod leading;
mod name_problems;
mod option_problems;
mod options;
mod patience;
mod preflight;
mod prepared;
mod progress;
mod rbac;
mod registration;
mod running;
mod scope;

#[cfg(test)]
mod tests;

pub use background::ReadyTask;
pub use builder::Operator;
pub use compat::Compat;
pub use context::OperatorContext;
pub use declarations::Declarations;
pub use error::{OperatorError, Responsible};
pub(crate) use injected::{ControllerQueue, QueueSlot};
#[cfg(test)]
pub(crate) use injected::{OpenedStores, Queues, States};
pub use options::OperatorOptions;
pub use preflight::MinimumVersion;
#[doc(hidden)]
pub use prepared::PreparedOperator;
pub use rbac::{rbac_documents, service_account_documents};
pub use registration::{ConstructedPart, Registration, RegistrationKind};
pub use running::{OperatorSuspension, RunningOperator};

pub use crate::permission::Rule;
pub use crate::phase::OperatorPhase;
