//! Answers to steps: as they were received, in a normal form, and compared. The module has no I/O.

mod answer;
mod compare;
mod field_path;
mod normal;
mod text;
mod varying;

pub use answer::{Answer, Content};
pub use compare::{Difference, compare};
pub use normal::normalise;
