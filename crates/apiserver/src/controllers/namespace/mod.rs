//! Namespace controllers: the default content and the deletion of namespaces.

mod ending;
mod furnishing;

pub(super) use ending::NamespaceDeletion;
pub(super) use furnishing::Furnishing;
