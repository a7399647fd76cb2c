//! Strategic merge patches as kustomize applies them.
//!
//! The rules differ from those of API servers: patched items of a merged list come first, an item can only be deleted but not replaced as a whole, and
//! a list whose kind is unknown is replaced. The merge keys are the same.

mod lists;
mod maps;
mod schema;
#[cfg(test)]
mod tests;

pub(crate) use maps::merge;
pub(crate) use schema::MergeSchemas;
