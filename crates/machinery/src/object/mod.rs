//! Identity, metadata, names and canonical JSON of an object.

mod canonical;
mod identity;
mod metadata;
pub mod names;
mod shape;
#[cfg(test)]
pub(crate) mod testing;

pub use canonical::{CanonicalHasher, canonical_json, canonical_sha256, sha256_hex, write_canonical};
pub use identity::{GroupKind, GroupVersionKind, ObjectKey, ObjectTitle};
pub use metadata::{ObjectExt, OwnerReference};
pub use shape::json_type;
