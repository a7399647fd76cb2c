use std::sync::Arc;

use serde_json::{Value, json};

use super::super::*;
use crate::time::Timestamp;

fn lease(spec: Value) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": { "name": "x.00-of-01", "namespace": "ns", "resourceVersion": "7", "labels": { "team": "a" } },
        "spec": spec,
    })
}

fn held() -> Value {
    json!({
        "acquireTime": "2026-11-22T18:45:54.522347Z",
        "holderIdentity": "host_1",
        "leaseDurationSeconds": 15,
        "leaseTransitions": 3,
        "renewTime": "2026-11-22T18:46:02.593407Z",
        "strategy": "OldestEmulationVersion",
    })
}

fn now() -> Timestamp {
    "2026-11-22T18:50:00.1234567Z".parse().unwrap()
}

fn identity(text: &str) -> Arc<str> {
    text.into()
}

// LDR-13
#[test]
fn a_record_is_read_from_the_lease_and_written_back_the_same() {
    let observed = ObservedLease::of(lease(held()));
    assert_eq!(
        (&*observed.record.holder, observed.record.duration_seconds, observed.record.transitions),
        ("host_1", Some(15), 3)
    );
    assert_eq!(&*observed.resource_version, "7");
    let write = LeaseWrite::gain(&identity("host_1"), 15, Some(&observed.record));
    let object = write.replace(&observed, &[], now());
    assert_eq!(LeaseRecord::of(&object), write.record(now()));
    assert_eq!(object["spec"]["renewTime"], "2026-11-22T18:50:00.123456Z");
    assert_eq!(object["spec"]["acquireTime"], "2026-11-22T18:45:54.522347Z");
}

#[test]
fn a_lease_without_a_holder_is_free() {
    for object in [json!({}), lease(Value::Null), lease(json!({ "holderIdentity": null, "renewTime": "soon" }))] {
        assert_eq!(LeaseRecord::of(&object), LeaseRecord::default());
        assert!(LeaseRecord::of(&object).is_free());
    }
}

// LDR-13
#[test]
fn a_new_lease_carries_record_and_labels() {
    let write = LeaseWrite::gain(&identity("host_1"), 60, None);
    let object = write.create("ns", "x.00-of-03", &lease_labels("kubewright.dev", "x", 3), now());
    let expected = json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": "x.00-of-03",
            "namespace": "ns",
            "labels": { "kubewright.dev/operator": "x", "kubewright.dev/buckets": "3" },
        },
        "spec": {
            "acquireTime": "2026-11-22T18:50:00.123456Z",
            "holderIdentity": "host_1",
            "leaseDurationSeconds": 60,
            "leaseTransitions": 0,
            "renewTime": "2026-11-22T18:50:00.123456Z",
        },
    });
    assert_eq!(object, expected);
}

// LDR-13
#[test]
fn a_lease_write_keeps_foreign_labels_and_fields_and_sends_the_seen_resource_version() {
    let observed = ObservedLease::of(lease(held()));
    let write = LeaseWrite::gain(&identity("host_2"), 60, Some(&observed.record));
    let object = write.replace(&observed, &lease_labels("kubewright.dev", "x", 1), now());
    assert_eq!(object["metadata"]["resourceVersion"], "7");
    assert_eq!(
        object["metadata"]["labels"],
        json!({ "team": "a", "kubewright.dev/operator": "x", "kubewright.dev/buckets": "1" })
    );
    assert_eq!(object["spec"]["strategy"], "OldestEmulationVersion");
    assert_eq!(object["spec"]["holderIdentity"], "host_2");
}

// LDR-13
#[test]
fn a_write_sets_its_own_labels_and_leaves_the_others() {
    let write = LeaseWrite::gain(&identity("host_1"), 60, None);
    let ours = lease_labels("kubewright.dev", "x", 3);
    let labels = |present: Value, labels: &[(String, String)]| {
        let mut object = lease(held());
        object["metadata"]["labels"] = present;
        write.replace(&ObservedLease::of(object), labels, now())["metadata"]["labels"].clone()
    };
    let expected = json!({ "kubewright.dev/operator": "x", "kubewright.dev/buckets": "3" });
    assert_eq!(labels(Value::Null, &ours), expected);
    assert_eq!(labels(json!({ "kubewright.dev/buckets": "5" }), &ours), expected);
    assert_eq!(labels(json!({ "team": "a" }), &[]), json!({ "team": "a" }));
}

// LDR-14
#[test]
fn the_epoch_rises_with_each_change_of_the_holder_only() {
    let (one, two) = (identity("host_1"), identity("host_2"));
    let first = LeaseWrite::gain(&one, 60, None);
    let renewed = LeaseWrite::gain(&one, 60, Some(&first.record(now())));
    let taken = LeaseWrite::gain(&two, 60, Some(&renewed.record(now())));
    let released = LeaseWrite::release(&taken.record(now()));
    let again = LeaseWrite::gain(&two, 60, Some(&released.record(now())));
    assert_eq!([&first, &renewed, &taken, &released, &again].map(LeaseWrite::epoch), [0, 0, 1, 1, 2]);
    let most = LeaseRecord { transitions: u32::MAX, ..LeaseRecord::default() };
    assert_eq!(LeaseWrite::gain(&one, 60, Some(&most)).epoch(), i32::MAX as u64);
}

// LDR-23
#[test]
fn a_release_empties_the_holder_for_a_second() {
    let observed = ObservedLease::of(lease(held()));
    let object = LeaseWrite::release(&observed.record).replace(&observed, &[], now());
    let time = "2026-11-22T18:50:00.123456Z";
    let spec = json!({
        "acquireTime": time,
        "holderIdentity": "",
        "leaseDurationSeconds": 1,
        "leaseTransitions": 3,
        "renewTime": time,
        "strategy": "OldestEmulationVersion",
    });
    assert_eq!(object["spec"], spec);
    assert!(LeaseRecord::of(&object).is_free());
}

#[test]
fn versions_are_compared_as_numbers_where_they_are_numbers() {
    let version = |text: &str| ObservedLease { resource_version: text.into(), ..ObservedLease::of(lease(held())) };
    for (one, other, expected) in [("9", "10", true), ("10", "9", false), ("7", "7", true), ("x", "y", false), ("x", "x", true)] {
        assert_eq!(version(one).is_at_most(&version(other)), expected, "{one} {other}");
    }
}
