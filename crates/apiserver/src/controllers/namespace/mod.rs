//! Namespaces: what each of them contains from the start, and how they end.

mod ending;
mod furnishing;

pub(super) use ending::Ending;
pub(super) use furnishing::Furnishing;
