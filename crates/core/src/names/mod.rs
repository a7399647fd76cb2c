//! Names and metadata that operators derive: names of children, owner references, labels of a version, host names, keys of which one of
//! several counts, and small values in a ConfigMap.
//!
//! What is written here is read by other operators too: names and labels are those of Knative's helpers, so that an operator that takes
//! over from one of theirs finds its children.

mod child;
mod host;
mod keys;
mod labels;
mod owner;
mod store;

#[cfg(test)]
mod tests;

pub use child::{MAX_CHILD_NAME, child_name};
pub use host::{DEFAULT_CLUSTER_DOMAIN, cluster_domain_of, service_host};
pub use keys::KeyPriority;
/// The smallest merge patch from one object to another; `None` when they are equal.
pub use kubewright_machinery::patch::diff as merge_patch_between;
pub use kubewright_machinery::patch::json_patch_between;
pub use labels::{generation_labels, version_labels};
pub use owner::{MissingMetadata, owner_reference};
pub use store::{KvStore, KvStoreError};
