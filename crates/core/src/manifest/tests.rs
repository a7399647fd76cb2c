use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

fn operator() -> OperatorName {
    OperatorName::new("op.example.com").unwrap()
}

fn annotated(key: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "demo", "annotations": {format!("op.example.com/{key}"): value}}})
}

fn read(key: &str, value: &str) -> Result<Annotations, String> {
    let mut errors = Vec::new();
    let annotations = Annotations::read(&operator(), &annotated(key, value), &mut errors);
    match ManifestErrors::collect(errors) {
        None => Ok(annotations),
        Some(errors) => Err(errors.to_string()),
    }
}

// component.md, 18
#[test]
fn owner_hash_vectors_hold() {
    let vectors = [
        ("test", "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea"),
        ("6d9c1c2e-0f6b-4f0e-9a44-0b1d5f0e2a11/demo/podinfo", "yk6yli6rorp3dezn3ht2q43rmffp45lop4evsmic77eb2xaaryfa"),
        ("clm.cs.sap.com/default/web", "lfb7hviwveigmbo53worykvyxzfzbcgt6s5sjkmtgha4nmblspjq"),
    ];
    for (id, hash) in vectors {
        assert_eq!(OwnerId::new(id).hash(), hash, "{id}");
    }
    assert_eq!(OwnerId::of_component("c", "", "n").id(), "c//n");
}

// component.md, 18, REF-9
#[test]
fn component_digest_vectors_hold() {
    let none = BTreeMap::new();
    assert_eq!(
        component_digest(1, &BTreeMap::new(), &json!({}), &none),
        "k1:f3ec961f7095bedd1bf7d802c231d27bea8cffb5a8a3cc453a6e9484c066472b"
    );
    let references = BTreeMap::from([(vec!["credentials".to_owned()], reference_digest_of_bytes(b"s3cr3t"))]);
    assert_eq!(
        component_digest(1, &BTreeMap::new(), &json!({"replicas": 2, "credentials": {"name": "s"}}), &references),
        "k1:bcf6cee3208f5d22c9288dce5ffa55e521288613a11dc98c31712e06d71a373d"
    );
}

// component.md, 18, REF-8
#[test]
fn reference_digest_vectors_hold() {
    assert_eq!(
        reference_digest_of_map(&json!({"b": "2", "a": "1"})),
        "21f76dfbfe6dfe21f762080ef484112cf2952974cef30741fd1931e1c6d92112"
    );
}

// DIG-1
#[test]
fn object_digests_follow_policy_and_lifecycle() {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "resourceVersion": "5"}});
    let mut bare = object.clone();
    bare["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    let plain = object_digest(&bare, ReconcilePolicy::OnObjectChange, None, "k1:x");
    assert_eq!(object_digest(&object, ReconcilePolicy::OnObjectChange, None, "k1:x"), plain);
    assert_eq!(object_digest(&object, ReconcilePolicy::Once, None, "k1:x"), "__once__");
    assert_eq!(object_digest(&object, ReconcilePolicy::OnObjectOrComponentChange, None, "k1:x"), format!("{plain}@k1:x"));
    assert_eq!(
        object_digest(&object, ReconcilePolicy::OnObjectChange, Some(Lifecycle::PreDelete), ""),
        format!("{plain}@pre-delete")
    );
}

// MARK-2
#[test]
fn policies_are_read_in_both_spellings() {
    for (text, policy) in [
        ("never", AdoptionPolicy::Never),
        ("Never", AdoptionPolicy::Never),
        ("if-unowned", AdoptionPolicy::IfUnowned),
        ("IfUnowned", AdoptionPolicy::IfUnowned),
        ("always", AdoptionPolicy::Always),
    ] {
        assert_eq!(read("adoption-policy", text).unwrap().adoption, Some(policy), "{text}");
    }
    for (text, policy) in [
        ("on-object-change", ReconcilePolicy::OnObjectChange),
        ("OnObjectOrComponentChange", ReconcilePolicy::OnObjectOrComponentChange),
        ("once", ReconcilePolicy::Once),
        ("", ReconcilePolicy::OnObjectChange),
    ] {
        assert_eq!(read("reconcile-policy", text).unwrap().reconcile, policy, "{text}");
    }
    for (text, policy) in [
        ("replace", Some(UpdatePolicy::Replace)),
        ("SsaMerge", Some(UpdatePolicy::SsaMerge)),
        ("ssa-override", Some(UpdatePolicy::SsaOverride)),
        ("recreate", Some(UpdatePolicy::Recreate)),
        ("default", None),
        ("", None),
    ] {
        assert_eq!(read("update-policy", text).unwrap().update, policy, "{text}");
    }
    for (text, policy) in [
        ("delete", Some(DeletePolicy::Delete)),
        ("Orphan", Some(DeletePolicy::Orphan)),
        ("OrphanOnApply", Some(DeletePolicy::OrphanOnApply)),
        ("orphan-on-delete", Some(DeletePolicy::OrphanOnDelete)),
        ("default", None),
    ] {
        assert_eq!(read("delete-policy", text).unwrap().delete, policy, "{text}");
    }
    assert_eq!(read("lifecycle", "PostDelete").unwrap().lifecycle, Some(Lifecycle::PostDelete));
}

// MARK-2
#[test]
fn orders_and_intervals_have_bounds() {
    for (text, order) in [("5", 5), ("-32768", -32768), ("32767", 32767)] {
        assert_eq!(read("apply-order", text).unwrap().apply_order, order);
        assert_eq!(read("delete-order", text).unwrap().delete_order, order);
        assert_eq!(read("purge-order", text).unwrap().purge_order, Some(order));
    }
    for text in ["32768", "-32769", "x", ""] {
        for key in ["apply-order", "delete-order", "purge-order"] {
            let error = read(key, text).unwrap_err();
            assert!(
                error.contains(&format!("invalid value for annotation op.example.com/{key}: {text:?} (allowed: ")),
                "{error}"
            );
        }
    }
    assert_eq!(read("reapply-interval", "3m33s").unwrap().reapply_interval, Some(Duration::from_secs(213)));
    for text in ["0s", "-1m", "", "soon"] {
        assert!(read("reapply-interval", text).is_err(), "{text}");
    }
}

// MARK-2
#[test]
fn annotation_errors_name_the_object_the_annotation_the_value_and_the_allowed_values() {
    for key in ["adoption-policy", "reconcile-policy", "update-policy", "delete-policy", "status-hint", "lifecycle"] {
        let error = read(key, "invalid").unwrap_err();
        for part in ["ConfigMap demo/c", &format!("op.example.com/{key}"), "\"invalid\"", "allowed: "] {
            assert!(error.contains(part), "{error}");
        }
    }
}

// REF-10, PREP-5, PREP-6
#[test]
fn secrets_are_encoded_and_marks_stripped() {
    let manifest = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "stringData": {"a": "x"},
        "metadata": {"name": "s", "namespace": "demo", "annotations": {"op.example.com/apply-order": "1", "op.example.com/digest": "x", "op.example.com/owner-id": "y"}, "labels": {"op.example.com/owner-id": "z"}},
    });
    let mut errors = Vec::new();
    let normal = normalize(&operator(), vec![manifest], &mut errors);
    assert_eq!(errors, []);
    // component.md, 18
    assert_eq!(
        object_digest(&normal[0].1, ReconcilePolicy::OnObjectChange, None, ""),
        "6fd736a4f412d0d45848301b2e5963b430be3b3e3d2b0c5099c3bbd3fabbe9bd"
    );
}

// PREP-1 to PREP-4
#[test]
fn manifests_are_flattened_checked_and_cleaned() {
    let clean = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    let odd = json!({"apiVersion": "v1", "kind": "ConfigMap", "status": {}, "metadata": {"name": "c", "creationTimestamp": null, "labels": null, "annotations": {"a": null}}});
    let list =
        json!({"apiVersion": "v1", "kind": "List", "items": [clean, {"apiVersion": "v1", "kind": "List", "items": [odd]}]});
    let mut errors = Vec::new();
    assert_eq!(normalize(&operator(), vec![list], &mut errors), vec![(1, clean.clone()), (2, clean)]);
    assert_eq!(errors, []);

    let wrong = vec![
        json!({"kind": "ConfigMap", "metadata": {"name": "c"}}),
        json!({"apiVersion": "v1", "metadata": {"name": "c"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap"}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labels": {"a": 1}}}),
    ];
    normalize(&operator(), wrong, &mut errors);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "manifest 1 (ConfigMap c) has no apiVersion (set it to a non-empty string)",
            "manifest 2 (c) has no kind (set it to a non-empty string)",
            "manifest 3 (ConfigMap) has no metadata.name (set it to a non-empty string)",
            "object ConfigMap c- specifies metadata.generateName (but dependent objects are not allowed to do so)",
            "object ConfigMap c: metadata.labels[\"a\"] must be a string, but is a number",
        ]
    );
}

#[test]
fn operator_names_are_dns_names() {
    assert!(OperatorName::new("podinfo-operator.demo.kubewright.dev").is_ok());
    for name in ["", "A.b", "a..b", "-a", "a/b"] {
        assert!(OperatorName::new(name).is_err(), "{name}");
    }
}
