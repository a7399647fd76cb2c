//! Fields of a few kinds that the server sets, whatever the client sent.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::kinds::KindSpec;
use crate::model::Endpoint;

/// Sets defaults that belong to the life cycle of the kind; the author of the object owns them.
pub(crate) fn default(kind: &KindSpec, object: &mut Value) {
    if kind.group.is_empty() && kind.kind == "Namespace" && !object.name().is_empty() {
        let name = object.name().to_owned();
        object.set_label("kubernetes.io/metadata.name", name);
    }
}

/// Sets the fields that belong to the life cycle of the kind.
pub(crate) fn prepare(kind: &KindSpec, endpoint: Endpoint<'_>, object: &mut Value, stored: Option<&Value>) {
    if kind.group.is_empty() && kind.kind == "Namespace" {
        namespace(endpoint, object, stored);
    }
}

/// Sets the label with the name, the content finalizer and the phase of a namespace (SNS-1).
fn namespace(endpoint: Endpoint<'_>, object: &mut Value, stored: Option<&Value>) {
    let name = object.name().to_owned();
    object.set_label("kubernetes.io/metadata.name", name);
    let finalizers = |object: &Value| object.pointer("/spec/finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    match stored {
        None => {
            let mut finalizers = finalizers(object);
            if finalizers.iter().all(|finalizer| finalizer != "kubernetes") {
                finalizers.push("kubernetes".into());
            }
            object["spec"] = json!({"finalizers": finalizers});
            object["status"] = json!({"phase": "Active"});
        }
        // Only `/finalize` changes the content finalizers.
        Some(stored) if endpoint == Endpoint::Main => match finalizers(stored) {
            none if none.is_empty() => object["spec"] = json!({}),
            finalizers => object["spec"] = json!({"finalizers": finalizers}),
        },
        Some(_) => {}
    }
}
