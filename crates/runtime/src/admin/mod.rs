//! Probes and metrics over HTTP.
//!
//! [`Checks`] collects what tells whether the process lives and is ready; [`Admin`] serves `/livez`, `/readyz` and `/metrics`.

mod checks;
mod respond;
mod server;

#[cfg(test)]
mod tests;

pub use checks::{CheckKind, Checks, DuplicateCheck};
pub use server::{Admin, AdminError};
