//! What the body of a server-side apply says about the object that it is meant for. By itself an apply creates what is absent and changes whatever has
//! the name.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// The version that an apply names so that it only creates: no object has it.
const VERSION_OF_NOTHING: &str = "1";

/// Lets an apply create an object only: one that exists is a conflict.
pub fn only_create(body: &mut Value) {
    body.metadata_mut().insert("resourceVersion".to_owned(), VERSION_OF_NOTHING.into());
}

/// Lets a write change the object with this UID only: one that is gone, or replaced by another one of its name, is a conflict. Without it, an apply and
/// some updates create what is gone meanwhile, whatever the version.
pub fn only_change(body: &mut Value, uid: &str) {
    body.metadata_mut().insert("uid".to_owned(), uid.into());
}
