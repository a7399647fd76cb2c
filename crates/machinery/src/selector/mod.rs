//! Label and field selectors: the query language of lists and watches, and the selectors inside objects.

mod field;
mod label;
mod lexer;
mod parse;
#[cfg(test)]
mod tests;

pub use field::{FieldRequirement, FieldSelector};
pub use label::{LabelRequirement, LabelSelector, Labels, SelectorOperator};
use thiserror::Error;

/// The error of a selector that cannot be parsed; the text is that of the real API server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SelectorError(pub(crate) String);
