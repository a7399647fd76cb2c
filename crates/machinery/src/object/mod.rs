//! Identity, metadata, names, nesting and canonical JSON of an object.

mod canonical;
mod fields;
mod identity;
mod key;
mod metadata;
pub mod names;
mod nesting;
mod reference;
mod shape;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use canonical::{CanonicalHasher, canonical_json, canonical_sha256, sha256_hex, write_canonical};
pub use fields::{FieldName, Fields};
pub use identity::{GroupKind, GroupVersionKind, ObjectKey, ObjectTitle};
pub use key::{InvalidKey, Key};
pub use metadata::ObjectExt;
pub(crate) use nesting::dismantle;
pub use nesting::{MAX_NESTING, is_nested_deeper};
pub use reference::ObjectReference;
pub use shape::json_type;
pub use view::{HasMetadata, MetadataView, OwnerReference};
