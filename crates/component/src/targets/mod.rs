//! Targets: the clusters of dependents, and the identities that write them (component.md, 9).
//!
//! Components with the same kubeconfig and identity share a target: its connections, types and watches. A target that cannot be
//! reached holds back only the components that use it.

mod registry;
mod target;

pub(crate) use registry::TargetRegistry;
pub(crate) use target::{DependentsTarget, TargetFactory};

/// The reason of a component whose kubeconfig is refused (TGT-5).
pub(crate) const REFUSED: &str = "CredentialsRefused";
