//! Probes, metrics, the state of the operator and the last passes of objects over HTTP.
//!
//! [`HealthChecks`] collects the checks of liveness and readiness; [`PassHistories`] holds the passes that controllers remember; [`Diagnostics`] is the state of a
//! running operator; [`Admin`] serves `/livez`, `/readyz`, `/metrics` and the pages below `/debug`.

mod checks;
mod diagnostics;
mod respond;
mod server;
mod waits;
mod why;

#[cfg(test)]
mod tests;

pub use checks::{CheckKind, DuplicateCheck, HealthChecks};
pub use diagnostics::{Diagnostics, QueueError};
pub use server::{Admin, AdminError};
pub use waits::{ControllerWaits, WaitCensus};
pub use why::{PassHistories, WhyError};
