//! The results of scripts: by script, by rule, as a report, and as the table in the README of the server.

mod readme;
mod replay;
mod report;

pub use readme::{README_VARIABLE, table};
pub use replay::{compare_embedded, replay};
pub use report::{Report, RowResult, ScriptResult};
