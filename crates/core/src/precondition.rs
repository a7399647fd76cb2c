//! Preconditions in the body of a server-side apply. Without them an apply creates an absent object, and changes any object that has the name.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// The resource version with which an apply can only create, because no object has this version.
const VERSION_OF_NOTHING: &str = "1";

/// Restricts an apply to the creation of an object: an existing one is a conflict.
pub fn only_create(body: &mut Value) {
    body.metadata_mut().insert("resourceVersion".to_owned(), VERSION_OF_NOTHING.into());
}

/// Restricts a write to the object with this UID: one that is gone, or was replaced by another one of its name, is a conflict. Without it, an apply
/// and some updates create an object that is gone meanwhile, whatever the version.
pub fn only_change(body: &mut Value, uid: &str) {
    body.metadata_mut().insert("uid".to_owned(), uid.into());
}
