//! Tables, which `kubectl get` prints, and objects reduced to their metadata.
//!
//! Every kind has at least a name and an age. Built-in kinds have the columns of the real server, custom resources those of their definition. The
//! columns of wide output are always sent; their priority tells the client to hide them.

mod age;
mod jsonpath;
mod partial;
mod printers;
mod table;

#[cfg(test)]
mod tests;

pub use age::human_duration;
pub use jsonpath::{JsonPath, JsonPathError};
pub use partial::{partial_metadata, partial_metadata_list};
pub use table::{IncludeObject, IncludeObjectError, Table};
