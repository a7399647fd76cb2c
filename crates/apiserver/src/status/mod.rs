//! Failures of requests: `Status` bodies and the errors of single fields.

mod failure;
mod field;
pub(crate) mod go;
mod texts;

pub use failure::{Cause, Details, Status};
pub use field::{FieldError, FieldReason};
