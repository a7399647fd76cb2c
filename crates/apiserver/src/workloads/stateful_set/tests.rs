use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use crate::workloads::StageDelays;
use crate::workloads::read::text;
use crate::workloads::simulation::{Simulation, count, workload};
use crate::workloads::stage_request::OUTCOME;

fn stateful_set(replicas: i64, image: &str, more: Value) -> Value {
    let mut spec =
        json!({"replicas": replicas, "serviceName": "db", "template": {"spec": {"containers": [{"name": "c", "image": image}]}}});
    kubewright_machinery::patch::merge_patch(&mut spec, &more);
    workload("StatefulSet", "db", spec)
}

fn images(simulation: &Simulation) -> Vec<&str> {
    simulation.all("Pod").into_iter().map(|pod| text(pod, "/spec/containers/0/image")).collect()
}

// STG-9
#[test]
fn pods_have_an_identity_and_come_one_after_the_other() {
    let mut simulation = Simulation::new();
    simulation.delays = StageDelays { ready: Duration::from_secs(1), ..StageDelays::NONE };
    simulation.apply(stateful_set(3, "i:1", json!({})));
    assert_eq!(simulation.names("Pod"), ["db-0"]);
    simulation.advance(1);
    assert_eq!(simulation.names("Pod"), ["db-0", "db-1"]);
    simulation.advance(1);
    simulation.advance(1);
    let db = simulation.get("StatefulSet", "db");
    assert_eq!(
        (count(db, "replicas"), count(db, "readyReplicas"), count(db, "updatedReplicas"), count(db, "currentReplicas")),
        (3, 3, 3, 3)
    );
    let revision = text(db, "/status/currentRevision");
    assert_eq!((revision, simulation.names("ControllerRevision")), (text(db, "/status/updateRevision"), vec![revision]));
    let pod = simulation.get("Pod", "db-2");
    assert_eq!(pod.label("statefulset.kubernetes.io/pod-name"), Some("db-2"));
    assert_eq!(pod.label("apps.kubernetes.io/pod-index"), Some("2"));
    assert_eq!(pod.label("controller-revision-hash"), Some(revision));
    assert_eq!((text(pod, "/spec/hostname"), text(pod, "/spec/subdomain")), ("db-2", "db"));
}

// STG-9
#[test]
fn parallel_management_starts_all_at_once() {
    let mut simulation = Simulation::new();
    simulation.delays = StageDelays { ready: Duration::from_secs(1), ..StageDelays::NONE };
    simulation.apply(stateful_set(3, "i:1", json!({"podManagementPolicy": "Parallel", "ordinals": {"start": 5}})));
    assert_eq!(simulation.names("Pod"), ["db-5", "db-6", "db-7"]);
}

// STG-9
#[test]
fn scaling_down_takes_the_highest_first() {
    let mut simulation = Simulation::new();
    simulation.apply(stateful_set(3, "i:1", json!({})));
    simulation.delays = StageDelays { terminated: Duration::from_secs(1), ..StageDelays::NONE };
    simulation.apply(stateful_set(1, "i:1", json!({})));
    assert_eq!(simulation.names("Pod"), ["db-0", "db-1", "db-2"]);
    simulation.advance(1);
    assert_eq!(simulation.names("Pod"), ["db-0", "db-1"]);
    simulation.advance(1);
    assert_eq!(simulation.names("Pod"), ["db-0"]);
}

// STG-9
#[test]
fn a_rolling_update_replaces_pods_from_the_highest_ordinal_down_to_the_partition() {
    let mut simulation = Simulation::new();
    simulation.apply(stateful_set(3, "i:1", json!({})));
    simulation.apply(stateful_set(
        3,
        "i:2",
        json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}}),
    ));
    assert_eq!(images(&simulation), ["i:1", "i:2", "i:2"]);
    let db = simulation.get("StatefulSet", "db");
    assert_ne!(text(db, "/status/currentRevision"), text(db, "/status/updateRevision"));
    assert_eq!((count(db, "currentReplicas"), count(db, "updatedReplicas")), (1, 2));
    // A pod below the partition is recreated at the old revision.
    simulation.delete("Pod", "db-0");
    assert_eq!(images(&simulation), ["i:1", "i:2", "i:2"]);
    simulation.apply(stateful_set(3, "i:2", json!({})));
    assert_eq!(images(&simulation), ["i:2"; 3]);
    let db = simulation.get("StatefulSet", "db");
    assert_eq!(text(db, "/status/currentRevision"), text(db, "/status/updateRevision"));
}

// STG-9
#[test]
fn on_delete_waits_for_the_pods_to_be_deleted() {
    let mut simulation = Simulation::new();
    simulation.apply(stateful_set(2, "i:1", json!({})));
    simulation.apply(stateful_set(2, "i:2", json!({"updateStrategy": {"type": "OnDelete"}})));
    assert_eq!(images(&simulation), ["i:1"; 2]);
    simulation.delete("Pod", "db-1");
    assert_eq!(images(&simulation), ["i:1", "i:2"]);
}

// STG-9
#[test]
fn claims_are_created_kept_and_given_up_as_asked() {
    let claims = json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]);
    let mut simulation = Simulation::new();
    simulation.apply(stateful_set(2, "i:1", json!({"volumeClaimTemplates": claims})));
    assert_eq!(simulation.names("PersistentVolumeClaim"), ["data-db-0", "data-db-1"]);
    assert_eq!(text(simulation.get("Pod", "db-1"), "/spec/volumes/0/persistentVolumeClaim/claimName"), "data-db-1");
    simulation.apply(stateful_set(1, "i:1", json!({"volumeClaimTemplates": claims})));
    assert_eq!(simulation.names("PersistentVolumeClaim").len(), 2);
    let policy = json!({"whenScaled": "Delete", "whenDeleted": "Retain"});
    simulation.apply(stateful_set(
        1,
        "i:1",
        json!({"volumeClaimTemplates": claims, "persistentVolumeClaimRetentionPolicy": policy}),
    ));
    assert_eq!(simulation.names("PersistentVolumeClaim"), ["data-db-0"]);
}

// STG-3
#[test]
fn a_pod_that_never_is_ready_holds_the_next() {
    let mut simulation = Simulation::new();
    let mut stuck = stateful_set(2, "i:1", json!({}));
    stuck["metadata"]["annotations"] = json!({OUTCOME: "never"});
    simulation.apply(stuck);
    simulation.advance(3600);
    assert_eq!(simulation.names("Pod"), ["db-0"]);
    simulation.log.clear();
    simulation.advance(3600);
    assert_eq!(simulation.log, Vec::<String>::new());
}
