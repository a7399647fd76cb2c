mod decision;
mod hot_loop;
mod owner;

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, OwnerLabels, applied_hash};
use serde_json::{Value, json};

use super::ChildOwner;

const HASH: &str = "shop.example/applied-hash";

fn owner() -> ChildOwner {
    let labels = OwnerLabels::of_domain("shop.example");
    ChildOwner::new(GroupVersionKind::new("shop.example", "v1", "Shop"), ("default", "demo"), "u-owner", labels)
}

/// Returns the child as a pass wants it, with all marks.
fn desired(size: i64) -> Value {
    let mut child = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": { "name": "front", "namespace": "default" },
        "spec": { "size": size },
    });
    owner().mark(&mut child);
    child
}

/// Returns the child as the server stores it.
fn live(size: i64, generation: i64) -> Value {
    let mut child = desired(size);
    child["spec"]["clusterIP"] = "10.0.0.1".into();
    child.set_annotation(HASH, applied_hash(&desired(size), HASH));
    let metadata = child.metadata_mut();
    metadata.insert("uid".to_owned(), "u-child".into());
    metadata.insert("resourceVersion".to_owned(), "7".into());
    metadata.insert("generation".to_owned(), generation.into());
    child
}
