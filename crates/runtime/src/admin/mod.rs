//! Probes, metrics and the last passes of objects over HTTP.
//!
//! [`Checks`] collects what tells whether the process lives and is ready; [`PassHistories`] what controllers remember of
//! their passes; [`Admin`] serves `/livez`, `/readyz`, `/metrics` and `/debug/why`.

mod checks;
mod respond;
mod server;
mod why;

#[cfg(test)]
mod tests;

pub use checks::{CheckKind, Checks, DuplicateCheck};
pub use server::{Admin, AdminError};
pub use why::{PassHistories, WhyError};
