//! Evaluation of the rules of a schema on an object: the values as CEL sees them, the budget of costs, and the errors of violations.

mod convert;
mod evaluation;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod tests;

pub(crate) use evaluation::evaluate;
