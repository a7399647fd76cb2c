use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::read::{at, text};
use super::simulation::{Simulation, condition_of, count, workload};
use super::stage_request::{OUTCOME, READY_AFTER};
use super::{PlannedWrite, RuleContext, StageDelays, WorkloadPlan, status_only};

fn job(spec: Value) -> Value {
    let mut all =
        json!({"parallelism": 1, "completions": 1, "backoffLimit": 2, "template": {"spec": {"restartPolicy": "Never"}}});
    kubewright_machinery::patch::merge_patch(&mut all, &spec);
    workload("Job", "once", all)
}

// STG-10
#[test]
fn a_daemon_set_has_one_pod_on_each_node() {
    let mut simulation = Simulation::new().with_nodes(3);
    simulation.apply(workload("DaemonSet", "agent", json!({})));
    let agent = simulation.get("DaemonSet", "agent");
    for field in ["desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"]
    {
        assert_eq!(count(agent, field), 3, "{field}");
    }
    assert_eq!(at(agent, "/status/numberUnavailable"), &Value::Null);
    let mut nodes: Vec<&str> = simulation.all("Pod").into_iter().map(|pod| text(pod, "/spec/nodeName")).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, ["kubewright-node-0", "kubewright-node-1", "kubewright-node-2"]);
}

// STG-10
#[test]
fn a_daemon_set_updates_one_pod_after_the_other() {
    let mut simulation = Simulation::new().with_nodes(3);
    simulation.apply(workload("DaemonSet", "agent", json!({})));
    simulation.watch_pods();
    simulation.apply(workload(
        "DaemonSet",
        "agent",
        json!({"template": {"spec": {"containers": [{"name": "c", "image": "i:2"}]}}}),
    ));
    assert!(simulation.all("Pod").iter().all(|pod| text(pod, "/spec/containers/0/image") == "i:2"));
    assert_eq!(simulation.least_ready, 2);
    simulation.apply(workload("DaemonSet", "agent", json!({"template": {"spec": {"nodeSelector": {"gpu": "yes"}}}})));
    assert_eq!(simulation.names("Pod").len(), 0);
    assert_eq!(count(simulation.get("DaemonSet", "agent"), "desiredNumberScheduled"), 0);
}

// STG-11
#[test]
fn a_job_completes_with_the_wanted_number_of_successes() {
    let mut simulation = Simulation::new();
    simulation.delays = StageDelays { job_done: Duration::from_secs(5), ..StageDelays::NONE };
    simulation.apply(job(json!({"completions": 3, "parallelism": 2})));
    assert_eq!((count(simulation.get("Job", "once"), "active"), count(simulation.get("Job", "once"), "ready")), (2, 2));
    simulation.advance(5);
    assert_eq!((count(simulation.get("Job", "once"), "active"), count(simulation.get("Job", "once"), "succeeded")), (1, 2));
    simulation.advance(5);
    let once = simulation.get("Job", "once");
    assert_eq!(count(once, "succeeded"), 3);
    assert_eq!(condition_of(once, "SuccessCriteriaMet"), ("True", "CompletionsReached"));
    assert_eq!(condition_of(once, "Complete"), ("True", "CompletionsReached"));
    assert_eq!(
        (text(once, "/status/startTime"), text(once, "/status/completionTime")),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z")
    );
}

// STG-11
#[test]
fn a_failing_job_gives_up_at_its_backoff_limit() {
    let mut simulation = Simulation::new();
    let mut failing = job(json!({}));
    failing["spec"]["template"]["metadata"]["annotations"] = json!({OUTCOME: "fail"});
    simulation.apply(failing);
    let once = simulation.get("Job", "once");
    assert_eq!(count(once, "failed"), 3);
    assert_eq!(condition_of(once, "FailureTarget"), ("True", "BackoffLimitExceeded"));
    assert_eq!(condition_of(once, "Failed"), ("True", "BackoffLimitExceeded"));
}

// STG-11
#[test]
fn a_suspended_job_has_no_pods_until_it_is_resumed() {
    let mut simulation = Simulation::new();
    simulation.apply(job(json!({"suspend": true})));
    assert_eq!(condition_of(simulation.get("Job", "once"), "Suspended"), ("True", "JobSuspended"));
    assert_eq!(simulation.names("Pod").len(), 0);
    simulation.apply(job(json!({"suspend": false})));
    assert_eq!(condition_of(simulation.get("Job", "once"), "Suspended"), ("False", "JobResumed"));
    assert_eq!(condition_of(simulation.get("Job", "once"), "Complete").0, "True");
}

// STG-11
#[test]
fn indexes_are_completed_each_once() {
    let mut simulation = Simulation::new();
    simulation.apply(job(json!({"completions": 5, "parallelism": 2, "completionMode": "Indexed"})));
    assert_eq!(text(simulation.get("Job", "once"), "/status/completedIndexes"), "0-4");
    assert_eq!(simulation.names("Pod").len(), 5);
    assert_eq!(condition_of(simulation.get("Job", "once"), "Complete").0, "True");
}

// STG-11
#[test]
fn a_finished_job_is_deleted_after_its_time_to_live() {
    let mut simulation = Simulation::new();
    simulation.apply(job(json!({"ttlSecondsAfterFinished": 60})));
    simulation.advance(59);
    assert_eq!(simulation.names("Job"), ["once"]);
    simulation.advance(1);
    assert_eq!(simulation.names("Job").len() + simulation.names("Pod").len(), 0);
}

fn status_of(object: &Value, seconds: i64) -> WorkloadPlan {
    let now = jiff::Timestamp::from_second(seconds).unwrap();
    status_only::plan(object, 1, RuleContext::new(now, &StageDelays::NONE))
}

/// Returns the object with the status that mode `Status` gives it.
fn with_status(mut object: Value, seconds: i64) -> Value {
    for write in status_of(&object, seconds).writes {
        let PlannedWrite::Status(_, status) = write else { panic!("{write:?}") };
        object["status"] = status;
    }
    object
}

fn stored(mut object: Value) -> Value {
    object["metadata"]["generation"] = json!(1);
    object["metadata"]["creationTimestamp"] = json!("1970-01-01T00:00:00Z");
    object
}

// STG-1
#[test]
fn without_children_every_workload_gets_its_final_status() {
    for kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"] {
        let done = with_status(stored(workload(kind, "w", json!({"completions": 1, "parallelism": 1}))), 0);
        let sign = match kind {
            "Deployment" => count(&done, "availableReplicas"),
            "DaemonSet" => count(&done, "numberReady"),
            "Job" => count(&done, "succeeded"),
            _ => count(&done, "readyReplicas"),
        };
        assert_eq!(sign, 1, "{done}");
        // STG-14: a workload at rest is not written.
        assert_eq!(status_of(&done, 3600), WorkloadPlan::default(), "{kind}");
    }
}

// STG-3
#[test]
fn without_children_wishes_hold_too() {
    let mut slow = stored(workload("Deployment", "w", json!({})));
    slow.set_annotation(READY_AFTER, "30s");
    let waiting = with_status(slow, 29);
    assert_eq!(condition_of(&waiting, "Available"), ("False", "MinimumReplicasUnavailable"));
    assert_eq!(status_of(&waiting, 29).wake.map(jiff::Timestamp::as_second), Some(30));
    assert_eq!(condition_of(&with_status(waiting, 30), "Available"), ("True", "MinimumReplicasAvailable"));
    let mut failing = stored(job(json!({})));
    failing.set_annotation(OUTCOME, "fail");
    assert_eq!(condition_of(&with_status(failing, 0), "Failed"), ("True", "BackoffLimitExceeded"));
}

/// Returns the number of pods that the first round creates.
fn created(workload: &Value) -> usize {
    let context = RuleContext::new(jiff::Timestamp::UNIX_EPOCH, &StageDelays::NONE);
    let family = super::dispatch::Family { owned: &[], claims: &[], nodes: &[] };
    let writes = super::dispatch::plan(workload, family, context).writes;
    writes.iter().filter(|write| matches!(write, PlannedWrite::Create(object) if object.kind() == "Pod")).count()
}

// STG-8
#[test]
fn a_round_creates_some_hundred_pods_at_most() {
    let many = 2_000_000_000;
    for workload in [
        workload("ReplicaSet", "w", json!({"replicas": many})),
        workload("StatefulSet", "w", json!({"replicas": many, "podManagementPolicy": "Parallel"})),
        job(json!({"completions": many, "parallelism": many})),
        job(json!({"completions": many, "parallelism": many, "completionMode": "Indexed"})),
    ] {
        assert!((490..=500).contains(&created(&workload)), "{}", workload.kind());
    }
    let mut simulation = Simulation::new();
    simulation.apply(workload("ReplicaSet", "w", json!({"replicas": 700})));
    assert_eq!(simulation.names("Pod").len(), 700);
}

// STG-11
#[test]
fn completed_indexes_may_be_any_text() {
    let mut indexed = job(json!({"completions": 5, "parallelism": 9, "completionMode": "Indexed"}));
    indexed["status"] = json!({"completedIndexes": "0-9223372036854775807"});
    assert_eq!(created(&indexed), 0);
    indexed["status"] = json!({"completedIndexes": "3-99999999999"});
    assert_eq!(created(&indexed), 3);
}
