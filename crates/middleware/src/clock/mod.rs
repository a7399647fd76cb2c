//! Time and randomness, the two inputs that make runs differ. No other module of the crate reads either.

mod seed;
mod source;

pub use seed::Seed;
pub use source::Clock;
