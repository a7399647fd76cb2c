//! Events: repeats become a series, similar events are combined, and every object has a budget.

mod correlator;

#[cfg(test)]
mod tests;

pub use correlator::{Correlator, EventDecision, EventRecord, Occurrence};
