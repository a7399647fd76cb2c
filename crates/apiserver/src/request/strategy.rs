//! What the server itself sets in a few kinds, whatever the client sent.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::kinds::KindSpec;

/// Defaults that belong to the life cycle of the kind: who writes the object owns them.
pub(super) fn default(kind: &KindSpec, object: &mut Value) {
    if kind.group.is_empty() && kind.kind == "Namespace" && !object.name().is_empty() {
        let name = object.name().to_owned();
        object.set_label("kubernetes.io/metadata.name", name);
    }
}

/// Sets the fields that belong to the life cycle of the kind.
pub(super) fn prepare(kind: &KindSpec, object: &mut Value, stored: Option<&Value>) {
    if kind.group.is_empty() && kind.kind == "Namespace" {
        namespace(object, stored);
    }
}

/// NS-1: the label with the name, the finalizer of the content, and the phase.
fn namespace(object: &mut Value, stored: Option<&Value>) {
    let name = object.name().to_owned();
    object.set_label("kubernetes.io/metadata.name", name);
    if stored.is_none() {
        object["spec"] = json!({"finalizers": ["kubernetes"]});
        object["status"] = json!({"phase": "Active"});
    }
}
