//! What a client is told when a request fails: `Status` bodies and the errors of single fields.

mod failure;
mod field;
mod texts;

pub use field::{FieldError, FieldReason};
pub use failure::{Cause, Details, Status};
