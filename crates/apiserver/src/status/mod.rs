//! What a client is told when a request fails: `Status` bodies and the errors of single fields.

mod field;
mod status;
mod texts;

pub use field::{FieldError, FieldReason};
pub use status::{Cause, Details, Status};
