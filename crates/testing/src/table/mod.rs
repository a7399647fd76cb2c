//! Table tests: one row is one pass of the real controller, on an API server of its own.
//!
//! A row stores objects in a server exactly as they are written, runs the real constructor and then one pass for one key through the whole pipeline,
//! and compares every mutating request, every event and the outcome with the expected ones. Every missing, additional or different one is reported
//! with a difference of texts, for all rows together.

mod address;
mod apply;
mod compare;
mod delete;
mod diff;
mod expected;
mod fault;
mod ledger;
mod normal;
mod outcome;
mod patch;
mod report;
mod row;
mod run;
mod seed;
mod test;
mod wire;

pub use apply::Apply;
pub use delete::{Delete, DeleteCollection};
pub use outcome::ExpectedOutcome;
pub use patch::Patch;
pub use report::{RowEnd, RowReport, TableReport};
pub use row::TableRow;
pub use test::TableTest;
