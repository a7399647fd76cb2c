//! Fields of objects that a build changes: where they are, and how they are found.

mod spec;
mod tables;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use spec::{FieldSpec, KindPattern, merge_specs};
pub(crate) use tables::{NameReferences, Tables};
pub(crate) use walk::{Created, change, expect_scalar, split_path};
