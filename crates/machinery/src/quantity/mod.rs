//! Quantities, int-or-string values, and durations in their Kubernetes forms.

mod amount;
mod duration;
mod int_or_string;

pub use amount::{Quantity, QuantityError};
pub use duration::{DurationError, GoDuration};
pub use int_or_string::{IntOrString, IntOrStringError};
