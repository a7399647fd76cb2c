//! Names and metadata that operators derive: names of children, owner references, labels of a version, host names, keys with former names, and small
//! values in a ConfigMap.
//!
//! Other operators read these names and labels too: they are those of Knative's helpers, so that an operator that replaces one built with these
//! helpers finds its children.

mod case;
mod child;
mod host;
mod keys;
mod labels;
mod owner;
mod store;

#[cfg(test)]
mod tests;

pub(crate) use case::to_kebab;
pub use child::{MAX_CHILD_NAME, child_name};
pub use host::{cluster_domain_of, service_host};
pub use keys::KeyPriority;
/// Returns the smallest merge patch from one object to another; `None` when they are equal.
pub use kubewright_machinery::patch::diff as merge_patch_between;
pub use kubewright_machinery::patch::json_patch_between;
pub use labels::{generation_labels, version_labels};
pub use owner::{MissingMetadata, owner_reference};
pub use store::{KvStore, KvStoreError};
