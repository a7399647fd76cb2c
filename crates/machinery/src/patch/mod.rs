//! JSON patches, merge patches, the merge keys of built-in types, and the difference of two objects.

mod between;
mod diff;
mod json;
mod merge;
mod merge_keys;
mod path;

pub use between::json_patch_between;
pub use diff::{diff, diff_fields};
pub use json::{JsonPatch, MAX_OPERATIONS, OperationError, PatchError, json_patch};
pub use merge::{merge_patch, merge_patch_as_servers_do};
pub use merge_keys::MergePosition;
pub use path::MAX_COPIED_BYTES;
