//! Expressions as text: a parser that knows where everything stands.
//!
//! The library that evaluates expressions parses them too, but keeps neither places nor a way to add types. This parser reads only what the
//! library has accepted, so it reports no errors of its own.

mod expression;
mod macros;
mod parser;
mod tokens;

pub(super) use expression::ACCUMULATOR;
pub(super) use expression::{Comprehension, Expression, Kind, Literal};
pub(super) use parser::{Parsed, Refused, parse, qualified_name};
