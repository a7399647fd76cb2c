//! Events on components and on their dependents (EVT-1 to EVT-3).

mod choice;
mod sender;
mod tally;

pub use choice::DependentEvents;
pub(crate) use sender::{ComponentEvents, Reporter};
pub(crate) use tally::Tally;
