use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, OwnerLabels};
use serde_json::json;

use super::{desired, live, owner};
use crate::child::{ChildOwner, Ownership};

/// ENS-19
#[test]
fn a_child_in_the_namespace_of_its_owner_has_a_reference_and_labels() {
    let child = desired(1);
    let controller = child.controller().map(|controller| (controller.kind.to_owned(), controller.uid.to_owned()));
    assert_eq!(controller, Some(("Shop".to_owned(), "u-owner".to_owned())));
    assert_eq!(child.label("shop.example/owner-name"), Some("demo"));
    assert_eq!(child.label("shop.example/owner-namespace"), Some("default"));
    assert_eq!(child.label("shop.example/owner-kind"), Some("Shop"));
}

/// ENS-19
#[test]
fn a_child_in_another_namespace_has_labels_only_and_is_ours() {
    for namespace in ["other", ""] {
        let mut child = json!({ "metadata": { "name": "front", "namespace": namespace } });
        owner().mark(&mut child);
        assert!(child.controller().is_none(), "namespace {namespace:?}");
        assert_eq!(owner().ownership(&child), Ownership::Ours);
    }
}

#[test]
fn an_owner_of_the_cluster_has_references_everywhere() {
    let owner = ChildOwner::new(
        GroupVersionKind::new("shop.example", "v1", "Mall"),
        ("", "big"),
        "u-mall",
        OwnerLabels::of_domain("shop.example"),
    );
    let mut child = json!({ "metadata": { "name": "front", "namespace": "other" } });
    owner.mark(&mut child);
    assert_eq!(child.controller().map(|controller| controller.uid.to_owned()), Some("u-mall".to_owned()));
}

#[test]
fn marks_keep_other_owner_references_and_are_set_once() {
    let mut child =
        json!({ "metadata": { "namespace": "default", "ownerReferences": [{ "kind": "Node", "uid": "n", "name": "a" }] } });
    owner().mark(&mut child);
    let once = child.clone();
    owner().mark(&mut child);
    assert_eq!(child, once);
    assert_eq!(child.owner_references().count(), 2);
}

/// ENS-08, ENS-15
#[test]
fn the_controller_reference_outweighs_labels() {
    let with_controller = |kind: &str, name: &str, uid: &str| {
        let mut child = live(1, 1);
        child["metadata"]["ownerReferences"][0] =
            json!({ "apiVersion": "shop.example/v1beta1", "kind": kind, "name": name, "uid": uid, "controller": true });
        owner().ownership(&child)
    };
    assert_eq!(with_controller("Shop", "demo", "u-owner"), Ownership::Ours);
    assert_eq!(with_controller("Shop", "demo", "u-before"), Ownership::Former);
    assert_eq!(with_controller("Shop", "else", "u-else"), Ownership::Other("Shop else".to_owned()));
    assert_eq!(with_controller("Mall", "demo", "u-mall"), Ownership::Other("Mall demo".to_owned()));
}

/// ENS-08
#[test]
fn labels_name_other_owners_and_none() {
    let other = ChildOwner::new(owner().gvk, ("elsewhere", "demo"), "u", OwnerLabels::of_domain("shop.example"));
    let mut child = json!({ "metadata": { "namespace": "default" } });
    assert_eq!(owner().ownership(&child), Ownership::Unowned);
    other.label(&mut child);
    assert_eq!(owner().ownership(&child), Ownership::Other("Shop elsewhere/demo".to_owned()));
}
