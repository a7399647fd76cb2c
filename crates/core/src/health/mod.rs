//! The health of objects: the rules of kstatus, with hints for kinds that follow other conventions.

mod hints;
mod kinds;
mod rules;
mod status;
mod workloads;

pub use hints::{Hints, InvalidHint};
pub use rules::{ReadinessRule, readiness, readiness_with};
pub use status::{Health, Readiness};

#[cfg(test)]
mod tests;
