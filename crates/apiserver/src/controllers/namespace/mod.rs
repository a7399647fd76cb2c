//! Namespace controllers: the default content and the deletion of namespaces.

mod defaults;
mod deletion;

pub(super) use defaults::NamespaceDefaults;
pub(super) use deletion::NamespaceDeletion;
