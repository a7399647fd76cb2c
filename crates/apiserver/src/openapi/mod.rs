//! OpenAPI v3, and v2 made from it: one document for each group and version, with the operations on its kinds and the schemas of their objects.
//!
//! kubectl reads two things in them: whether an operation takes a query parameter, and, for `explain`, the fields of a type. Descriptions are
//! not part of the data, so `explain` shows names and types. The documents of built-in kinds are made once in a process, those of custom
//! kinds once for each state of the registry.

mod document;
mod names;
mod operation;
mod paths;
mod schemas;
mod version_2;

#[cfg(test)]
mod tests;

pub use document::OpenApi;
pub(crate) use document::url;
