//! Identity, metadata, names, nesting and canonical JSON of an object.

mod annotation;
mod applied_hash;
mod canonical;
mod common_metadata;
mod fields;
mod identity;
mod key;
mod metadata;
pub mod names;
mod nesting;
mod owner_labels;
mod propagation;
mod reference;
mod scope;
mod shape;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use annotation::{AnnotationChange, AnnotationExists, annotation_patch, has_same_annotation};
pub use applied_hash::{applied_hash, desired_form};
pub use canonical::{CanonicalHasher, canonical_json, canonical_sha256, sha256_hex, write_canonical};
pub use common_metadata::CommonMetadata;
pub use fields::{FieldName, Fields};
pub use identity::{GroupKind, GroupVersionKind, ObjectKey, ObjectTitle};
pub use key::{InvalidKey, Key};
pub use metadata::ObjectExt;
pub(crate) use nesting::dismantle;
pub use nesting::{MAX_NESTING, is_nested_deeper};
pub use owner_labels::{LabelledOwner, OwnerLabels, hash8, is_of_domain, label_value};
pub use propagation::Propagation;
pub use reference::ObjectReference;
pub use scope::Scope;
pub use shape::json_type;
pub use view::{HasMetadata, MetadataView, OwnerReference};
