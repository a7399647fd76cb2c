//! The registry of kinds: all that the server knows about a resource, as data.
//!
//! There is no handler per kind. A [`KindSpec`] defines the names of a resource, its operations, and the behaviour of its generation, its status and
//! its deletion; the request pipeline reads nothing else. The built-in kinds are the table `data/kinds.toml`; each served version of a custom
//! resource definition becomes a [`KindSpec`] too and takes the same path.
//!
//! A [`Registry`] is immutable and cheap to clone. Adding or removing custom kinds gives a new registry that shares the rest with the old one.

mod builtin;
mod custom;
mod derived;
mod discovery_order;
mod fields;
mod generation;
mod path;
mod registry;
mod reset;
mod scale;
mod spec;
mod verbs;

#[cfg(test)]
mod tests;

pub(crate) use builtin::registrations;
pub use custom::{Column, CustomKind};
pub use derived::Derived;
pub(crate) use discovery_order::compare_versions;
pub use fields::FieldLabelError;
pub use generation::Generation;
pub use path::FieldPath;
pub use registry::Registry;
pub use reset::Reset;
pub use scale::{Scale, ScaleSelector};
pub use spec::{Columns, Flags, GcDefault, KindSpec, StorageId, Subresource};
pub use verbs::Verbs;
