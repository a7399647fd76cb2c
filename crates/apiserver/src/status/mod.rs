//! Failures of requests: `Status` bodies with their causes, and the texts of the real server.

mod failure;
mod texts;

pub use failure::{Details, FailureCause, Status};
