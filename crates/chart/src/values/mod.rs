//! Values: reading, merging, and their way through charts and subcharts.

mod coalesce;
mod merge;
mod path;
mod table;

pub(crate) use coalesce::{Coalescing, ValuesTree};
pub use merge::{merge_values, parse_values};
pub(crate) use path::{table_at, value_at};
pub(crate) use table::{deep_copy, empty_table, frozen, key, table, to_json};
