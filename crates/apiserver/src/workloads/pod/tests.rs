use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::workloads::node::{node, pod_address};
use crate::workloads::read::{at, text};
use crate::workloads::stage_request::{OUTCOME, READY_AFTER};
use crate::workloads::{Nodes, StageDelays, condition};

fn start() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp::from_second(start().as_second() + seconds).unwrap()
}

fn pod() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "p", "namespace": "n", "uid": "u1", "generation": 1, "creationTimestamp": start().to_string()},
        "spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Always"},
        "status": {"phase": "Pending"},
    })
}

fn of_job(mut pod: Value) -> Value {
    pod["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u0", "controller": true}]);
    pod["spec"]["restartPolicy"] = json!("Never");
    pod
}

fn requesting(mut pod: Value, key: &str, value: &str) -> Value {
    pod["metadata"]["annotations"][key] = json!(value);
    pod
}

/// Applies all changes that are due at a time. Returns true if the pod was deleted.
fn play(pod: &mut Value, now: Timestamp, delays: &StageDelays) -> bool {
    let node = node(0, start());
    for _ in 0..10 {
        let nodes = Nodes { all: &[&node], next_address: pod_address(0) };
        match next(pod, nodes, now, delays).filter(|change| change.is_due(now)) {
            None => return false,
            Some(DuePodChange { what: PodChange::Bind(node), .. }) => pod["spec"]["nodeName"] = json!(node),
            Some(DuePodChange { what: PodChange::Status(status), .. }) => pod["status"] = status,
            Some(DuePodChange { what: PodChange::Delete, .. }) => return true,
        }
    }
    panic!("the pod never rests: {pod}");
}

// STG-6
#[test]
fn a_pod_without_delays_is_ready_at_once() {
    let mut pod = pod();
    play(&mut pod, start(), &StageDelays::NONE);
    assert_eq!(text(&pod, "/spec/nodeName"), "kubewright-node-0");
    assert_eq!(text(&pod, "/status/phase"), "Running");
    assert_eq!(text(&pod, "/status/podIP"), "10.244.0.1");
    for kind in ["PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"] {
        assert!(condition::is_true(&pod, kind), "{kind}: {pod}");
    }
    let container = at(&pod, "/status/containerStatuses/0");
    assert_eq!((at(container, "/ready"), at(container, "/restartCount")), (&json!(true), &json!(0)));
    assert_eq!(text(container, "/state/running/startedAt"), "2026-01-01T00:00:00Z");
    assert_eq!(at(&pod, "/status/conditions/0/observedGeneration"), &json!(1));
}

// STG-2
#[test]
fn each_stage_waits_for_its_delay() {
    let delays = StageDelays {
        scheduled: Duration::from_secs(1),
        started: Duration::from_secs(2),
        ready: Duration::from_secs(3),
        ..StageDelays::NONE
    };
    let mut pod = pod();
    let mut ready_at = None;
    for second in 0..10 {
        play(&mut pod, seconds(second), &delays);
        ready_at = ready_at.or_else(|| condition::is_true(&pod, "Ready").then_some(second));
    }
    assert_eq!(ready_at, Some(6));
    assert_eq!(text(condition::find(&pod, "PodScheduled").unwrap(), "/lastTransitionTime"), "2026-01-01T00:00:01Z");
    assert_eq!(text(&pod, "/status/startTime"), "2026-01-01T00:00:03Z");
}

// STG-3
#[test]
fn a_pod_is_ready_after_the_time_that_it_asks_for() {
    let mut pod = requesting(pod(), READY_AFTER, "30s");
    play(&mut pod, seconds(29), &StageDelays::NONE);
    let node = node(0, start());
    let waiting = next(&pod, Nodes { all: &[&node], next_address: pod_address(0) }, seconds(29), &StageDelays::NONE).unwrap();
    assert_eq!(waiting.due, seconds(59));
    play(&mut pod, seconds(59), &StageDelays::NONE);
    assert!(condition::is_true(&pod, "Ready"));
}

// STG-3
#[test]
fn outcomes_stop_short_of_ready() {
    let mut never = requesting(pod(), OUTCOME, "never");
    play(&mut never, seconds(3600), &StageDelays::NONE);
    assert_eq!(text(&never, "/status/containerStatuses/0/state/waiting/reason"), "ContainerCreating");
    let mut crashing = requesting(pod(), OUTCOME, "fail");
    play(&mut crashing, seconds(1), &StageDelays::NONE);
    play(&mut crashing, seconds(60), &StageDelays::NONE);
    assert_eq!(text(&crashing, "/status/containerStatuses/0/state/waiting/reason"), "CrashLoopBackOff");
    assert_eq!(text(condition::find(&crashing, "Ready").unwrap(), "/reason"), "ContainersNotReady");
    let mut manual = requesting(pod(), OUTCOME, "manual");
    let before = manual.clone();
    play(&mut manual, seconds(60), &StageDelays::NONE);
    assert_eq!(manual, before);
}

// STG-6
#[test]
fn a_pod_without_a_suitable_node_stays_pending_with_the_reason_unschedulable() {
    let mut pod = pod();
    pod["spec"]["nodeSelector"] = json!({"kubernetes.io/os": "windows"});
    play(&mut pod, start(), &StageDelays::NONE);
    let condition = condition::find(&pod, "PodScheduled").unwrap();
    assert_eq!((text(condition, "/status"), text(condition, "/reason")), ("False", "Unschedulable"));
    assert_eq!(text(&pod, "/status/phase"), "Pending");
}

// STG-6
#[test]
fn a_readiness_gate_holds_ready_until_the_test_opens_it() {
    let mut pod = pod();
    pod["spec"]["readinessGates"] = json!([{"conditionType": "ex.io/open"}]);
    play(&mut pod, start(), &StageDelays::NONE);
    assert!(condition::is_true(&pod, "ContainersReady"));
    assert_eq!(text(condition::find(&pod, "Ready").unwrap(), "/reason"), "ReadinessGatesNotReady");
    pod["status"]["conditions"].as_array_mut().unwrap().push(json!({"type": "ex.io/open", "status": "True"}));
    play(&mut pod, start(), &StageDelays::NONE);
    assert!(condition::is_true(&pod, "Ready"));
}

// STG-6
#[test]
fn init_containers_end_and_sidecars_run() {
    let mut pod = pod();
    pod["spec"]["initContainers"] = json!([{"name": "a", "image": "i"}, {"name": "b", "image": "i", "restartPolicy": "Always"}]);
    play(&mut pod, start(), &StageDelays::NONE);
    assert_eq!(text(&pod, "/status/initContainerStatuses/0/state/terminated/reason"), "Completed");
    assert_eq!(text(&pod, "/status/initContainerStatuses/1/state/running/startedAt"), "2026-01-01T00:00:00Z");
}

// STG-6
#[test]
fn a_pod_of_a_job_succeeds_or_fails_after_its_time() {
    let delays = StageDelays { job_done: Duration::from_secs(10), ..StageDelays::NONE };
    let mut done = of_job(pod());
    play(&mut done, seconds(0), &delays);
    assert_eq!(text(&done, "/status/phase"), "Running");
    play(&mut done, seconds(10), &delays);
    assert_eq!(text(&done, "/status/phase"), "Succeeded");
    let mut failed = requesting(of_job(pod()), OUTCOME, "fail");
    play(&mut failed, seconds(0), &delays);
    play(&mut failed, seconds(10), &delays);
    assert_eq!(text(&failed, "/status/phase"), "Failed");
    assert_eq!(at(&failed, "/status/containerStatuses/0/state/terminated/exitCode"), &json!(1));
}

// STG-6
#[test]
fn a_deleted_pod_is_removed_after_its_delay_and_within_its_grace_period() {
    let delays = StageDelays { terminated: Duration::from_secs(5), ..StageDelays::NONE };
    let mut pod = pod();
    pod["metadata"]["deletionTimestamp"] = json!(seconds(30).to_string());
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    assert!(!play(&mut pod, seconds(4), &delays));
    assert!(play(&mut pod, seconds(5), &delays));
    let long = StageDelays { terminated: Duration::from_secs(60), ..StageDelays::NONE };
    assert!(!play(&mut pod, seconds(29), &long));
    assert!(play(&mut pod, seconds(30), &long));
}

// STG-4
#[test]
fn a_pod_of_another_scheduler_waits_for_it() {
    let mut other = pod();
    other["spec"]["schedulerName"] = json!("mine");
    assert!(!play(&mut other, seconds(60), &StageDelays::NONE));
    assert_eq!((text(&other, "/spec/nodeName"), text(&other, "/status/phase")), ("", "Pending"));
    other["spec"]["nodeName"] = json!("kubewright-node-0");
    assert!(!play(&mut other, seconds(60), &StageDelays::NONE));
    assert_eq!(text(&other, "/status/phase"), "Running");
}
