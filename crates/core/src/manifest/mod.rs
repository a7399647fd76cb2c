//! The input of users: manifests, the marks that name the owner of an object, the policies in annotations, and the digests that detect changes.
//!
//! The keys are those of the Go framework component-operator-runtime, so that an operator built with it can be replaced by one of the same name.

mod annotations;
mod digest;
mod error;
pub mod keys;
mod normalize;
mod owner;
mod policy;

pub use annotations::{Annotations, Lifecycle};
pub use digest::{
    COMPONENT_DIGEST_PREFIX, DIGEST_ONCE, component_digest, object_digest, reference_digest_of_bytes, reference_digest_of_map,
};
pub use error::{InvalidManifest, ManifestErrors};
pub use normalize::flatten;
pub(crate) use normalize::normalize;
pub use owner::{InvalidName, OperatorName, OwnerId};
pub use policy::{
    AdoptionPolicy, DeletePolicy, DependentPolicies, MissingNamespacesPolicy, PolicySettings, ReconcilePolicy, UpdatePolicy,
};

#[cfg(test)]
mod tests;
