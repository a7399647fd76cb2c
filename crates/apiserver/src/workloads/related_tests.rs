//! Tests of the kinds related to workloads whose status a cluster maintains: claims and volumes, load balancers, autoscalers, disruption budgets.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::claims::{claim, volume};
use super::load_balancer::{ingress, service};
use super::read::text;
use super::simulation::condition_of;
use super::{PlannedWrite, RuleContext, StageDelays, WorkloadPlan, autoscaler, disruption_budget};

fn at_second(seconds: i64, delays: &StageDelays) -> RuleContext<'_> {
    RuleContext::new(Timestamp::from_second(seconds).unwrap(), delays)
}

fn object(kind: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": kind,
        "metadata": {"name": "x", "namespace": "n", "uid": "u1", "generation": 1, "creationTimestamp": "1970-01-01T00:00:00Z"},
        "spec": spec,
    })
}

fn status_of(plan: WorkloadPlan) -> Value {
    plan.writes
        .into_iter()
        .find_map(|write| if let PlannedWrite::Status(_, status) = write { Some(json!({"status": status})) } else { None })
        .unwrap()
}

// STG-13
#[test]
fn a_claim_is_bound_to_a_volume_of_its_own_after_the_delay() {
    let delays = StageDelays { bound: Duration::from_secs(5), ..StageDelays::NONE };
    let wanted =
        object("PersistentVolumeClaim", json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}));
    let waiting = claim(&wanted, at_second(4, &delays));
    assert_eq!((waiting.writes.len(), waiting.wake.map(Timestamp::as_second)), (0, Some(5)));
    let plan = claim(&wanted, at_second(5, &delays));
    let PlannedWrite::Create(made) = &plan.writes[0] else { panic!("{plan:?}") };
    assert_eq!(
        (text(made, "/metadata/name"), text(made, "/spec/claimRef/uid"), text(made, "/spec/capacity/storage")),
        ("pvc-u1", "u1", "1Gi")
    );
    let bound = status_of(plan.clone());
    assert_eq!((text(&bound, "/status/phase"), text(&bound, "/status/capacity/storage")), ("Bound", "1Gi"));
    // The volume exists as long as its claim.
    assert_eq!(text(&status_of(volume(made, Some(&wanted))), "/status/phase"), "Bound");
    assert_eq!(text(&status_of(volume(made, None)), "/status/phase"), "Released");
    assert!(matches!(volume(made, None).writes.as_slice(), [PlannedWrite::Status(..), PlannedWrite::Delete(_)]));
}

// STG-13
#[test]
fn load_balancers_get_an_address_and_others_lose_it() {
    let mut balanced = object("Service", json!({"type": "LoadBalancer"}));
    let status = status_of(service(&balanced));
    assert!(text(&status, "/status/loadBalancer/ingress/0/ip").starts_with("198.51.100."), "{status}");
    balanced["status"] = status["status"].clone();
    assert_eq!(service(&balanced), WorkloadPlan::default());
    balanced["spec"]["type"] = json!("ClusterIP");
    assert_eq!(status_of(service(&balanced)), json!({"status": {"loadBalancer": {}}}));
    assert!(
        text(&status_of(ingress(&object("Ingress", json!({})))), "/status/loadBalancer/ingress/0/ip").starts_with("198.51.100.")
    );
    assert_eq!(service(&object("Service", json!({"type": "ClusterIP"}))), WorkloadPlan::default());
}

// STG-13
#[test]
fn an_autoscaler_reports_the_size_of_its_target() {
    let wanted = object("HorizontalPodAutoscaler", json!({"scaleTargetRef": {"kind": "Deployment", "name": "web"}}));
    let status = status_of(autoscaler::plan(&wanted, Some(&json!({"spec": {"replicas": 3}})), at_second(0, &StageDelays::NONE)));
    assert_eq!(status["status"]["currentReplicas"], 3);
    assert_eq!(condition_of(&status, "AbleToScale"), ("True", "ReadyForNewScale"));
    assert_eq!(condition_of(&status, "ScalingActive").0, "True");
    let lost = status_of(autoscaler::plan(&wanted, None, at_second(0, &StageDelays::NONE)));
    assert_eq!(condition_of(&lost, "AbleToScale"), ("False", "FailedGetScale"));
}

#[test]
fn a_disruption_budget_counts_its_pods() {
    let ready = json!({"metadata": {"labels": {"app": "web"}}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let unready = json!({"metadata": {"labels": {"app": "web"}}, "status": {"phase": "Pending"}});
    let other = json!({"metadata": {"labels": {"app": "db"}}, "status": {"phase": "Running"}});
    let budget = object("PodDisruptionBudget", json!({"maxUnavailable": 2, "selector": {"matchLabels": {"app": "web"}}}));
    let status =
        status_of(disruption_budget::plan(&budget, &[&ready, &ready, &unready, &other], at_second(0, &StageDelays::NONE)));
    let count = |field: &str| status["status"][field].as_i64().unwrap();
    assert_eq!(
        (count("expectedPods"), count("currentHealthy"), count("desiredHealthy"), count("disruptionsAllowed")),
        (3, 2, 1, 1)
    );
    assert_eq!(condition_of(&status, "DisruptionAllowed"), ("True", "SufficientPods"));
}
