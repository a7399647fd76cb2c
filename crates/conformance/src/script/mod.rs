//! Scripts: the requests of clients, written as data, with the normalised answers of a real API server.
//!
//! A [`Script`] is a file of [`ScriptStep`]s. The module has no I/O.

mod model;
mod normal_answer;
mod requests;
mod variables;

pub use model::{Header, Script, ScriptStep, User, WatchStop};
pub use normal_answer::NormalAnswer;
pub(crate) use requests::Filled;
pub(crate) use variables::Variables;
