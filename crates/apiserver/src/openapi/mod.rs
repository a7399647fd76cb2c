//! OpenAPI v3, and v2 derived from it: one document for each group and version, with the operations on its kinds and the schemas of their
//! objects.
//!
//! kubectl reads two things from them: the query parameters of an operation, and, for `explain`, the fields of a type. Descriptions are not part
//! of the data, so `explain` shows names and types. The documents of built-in kinds are built once per process, those of custom kinds once for
//! each revision of the registry.

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
