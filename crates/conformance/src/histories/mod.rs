//! Random histories of requests as scripts, and random schemas with their objects. The same seed gives the same history.

mod apply_history;
mod history;
mod random_schema;
mod random_value;
mod schema_history;

pub use apply_history::apply_history;
pub use history::{HistorySubject, history};
pub use schema_history::{objects, schema, schema_history};
