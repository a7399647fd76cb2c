//! The two inputs that make runs differ, time and randomness; nothing else in the crate reads either.

mod seed;
mod source;

pub use seed::Seed;
pub use source::Clock;
