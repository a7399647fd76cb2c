//! Which events are written: repeats become a series, similar ones are combined, and every object has a budget.

mod correlator;

#[cfg(test)]
mod tests;

pub use correlator::{Correlator, Decision, Occurrence, Record};
