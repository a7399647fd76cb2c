//! The parser of expressions, which keeps the position of every part.
//!
//! The parser of the library keeps no positions, and its expressions cannot carry types. It is used for the texts of syntax errors, so this
//! parser only detects them.

mod expression;
mod macros;
mod parser;
mod tokens;

pub(super) use expression::{ACCUMULATOR, Comprehension, Expression, ExpressionKind, Literal};
pub(super) use parser::{ParsedExpression, Refused, parse, qualified_name};
