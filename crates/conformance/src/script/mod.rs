//! Scripts: the requests of clients, written as data, with the normalised answers of a real API server.
//!
//! A [`Script`] is a file of [`Step`]s. The module has no I/O.

mod model;
mod outcome;
mod requests;
mod variables;

pub use model::{Header, Script, Step, User, WatchStop};
pub use outcome::Outcome;
pub(crate) use requests::Filled;
pub(crate) use variables::Variables;
