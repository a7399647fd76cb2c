//! Request scripts: requests of clients, written as data, and the answers of a real API server to them.
//!
//! A script is a file of [`Step`]s. It is run against a [`Target`] (the embedded server or any other). The answers are normalised ([`normalise`]),
//! and compared with the recorded ones or with those of a second server ([`compare`]). The rules are in `scripts/README.md`.

mod answer;
mod apply_history;
mod compare;
mod connection;
mod deviation;
mod field_path;
mod fresh;
mod history;
mod library;
mod model;
mod normal;
mod outcome;
mod random_schema;
mod random_value;
mod readme;
mod report;
mod requests;
mod rows;
mod run;
mod schema_history;
mod target;
mod text;
mod variables;

pub use answer::{Answer, Content};
pub use apply_history::apply_history;
pub use compare::{Difference, compare};
pub use deviation::{Deviation, Deviations};
pub use fresh::{run_all_remote, run_embedded, run_remote};
pub use history::{Subject, history};
pub use library::{Library, LibraryError, ScriptFile};
pub use model::{Header, Script, Step, User, WatchStop};
pub use normal::normalise;
pub use outcome::Outcome;
pub use readme::{README_VARIABLE, table};
pub use report::{Report, RowResult, ScriptResult};
pub use rows::{Level, Row, Rows};
pub use run::{Run, RunError, run};
pub use schema_history::{objects, schema, schema_history};
pub use target::{Target, TargetError};
