use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::workloads::StageDelays;
use crate::workloads::read::{at, int, text};
use crate::workloads::simulation::{Simulation, condition_of, count, workload};
use crate::workloads::stage_request::OUTCOME;

fn deployment(replicas: i64, image: &str, strategy: Value) -> Value {
    let template = json!({"spec": {"containers": [{"name": "c", "image": image}]}});
    workload("Deployment", "web", json!({"replicas": replicas, "template": template, "strategy": strategy}))
}

fn images(simulation: &Simulation) -> Vec<&str> {
    simulation.all("Pod").into_iter().map(|pod| text(pod, "/spec/containers/0/image")).collect()
}

// STG-7
#[test]
fn a_deployment_becomes_available_through_one_replica_set() {
    let mut simulation = Simulation::new();
    simulation.apply(deployment(3, "i:1", json!({})));
    let web = simulation.get("Deployment", "web");
    for field in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
        assert_eq!(count(web, field), 3, "{field}");
    }
    assert_eq!(condition_of(web, "Available"), ("True", "MinimumReplicasAvailable"));
    assert_eq!(condition_of(web, "Progressing"), ("True", "NewReplicaSetAvailable"));
    assert_eq!(web.annotation("deployment.kubernetes.io/revision"), Some("1"));
    let sets = simulation.all("ReplicaSet");
    assert_eq!(sets.len(), 1);
    let hash = sets[0].label("pod-template-hash").unwrap();
    assert_eq!(sets[0].name(), format!("web-{hash}"));
    assert_eq!(text(sets[0], "/spec/selector/matchLabels/pod-template-hash"), hash);
    assert!(
        simulation
            .all("Pod")
            .iter()
            .all(|pod| pod.label("pod-template-hash") == Some(hash) && pod.name().starts_with(sets[0].name()))
    );
}

// STG-14
#[test]
fn a_deployment_at_rest_is_not_written_any_more() {
    let mut simulation = Simulation::new();
    simulation.apply(deployment(3, "i:1", json!({})));
    simulation.log.clear();
    simulation.advance(3600);
    assert_eq!(simulation.log, Vec::<String>::new());
}

// STG-7, STG-8
#[test]
fn a_deployment_heals_and_scales() {
    let mut simulation = Simulation::new();
    simulation.apply(deployment(2, "i:1", json!({})));
    let lost = simulation.names("Pod")[0].to_owned();
    simulation.delete("Pod", &lost);
    assert_eq!(simulation.names("Pod").len(), 2);
    assert!(!simulation.names("Pod").contains(&lost.as_str()));
    simulation.apply(deployment(5, "i:1", json!({})));
    assert_eq!(count(simulation.get("Deployment", "web"), "availableReplicas"), 5);
    simulation.apply(deployment(0, "i:1", json!({})));
    assert_eq!(simulation.names("Pod").len(), 0);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Available"), ("True", "MinimumReplicasAvailable"));
}

// STG-7
#[test]
fn a_rolling_update_keeps_its_bounds_and_its_history() {
    let mut simulation = Simulation::new();
    simulation.delays = StageDelays { ready: Duration::from_secs(2), ..StageDelays::NONE };
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}});
    simulation.apply(deployment(4, "i:1", strategy.clone()));
    simulation.advance(2);
    assert_eq!(count(simulation.get("Deployment", "web"), "availableReplicas"), 4);
    simulation.watch_pods();
    simulation.apply(deployment(4, "i:2", strategy.clone()));
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Progressing").1, "ReplicaSetUpdated");
    for _ in 0..8 {
        simulation.advance(2);
    }
    assert_eq!((simulation.least_ready, simulation.most_pods), (3, 5));
    assert_eq!(images(&simulation), ["i:2"; 4]);
    assert_eq!(simulation.names("ReplicaSet").len(), 2);
    let web = simulation.get("Deployment", "web");
    assert_eq!(web.annotation("deployment.kubernetes.io/revision"), Some("2"));
    assert_eq!(condition_of(web, "Progressing"), ("True", "NewReplicaSetAvailable"));
    // A roll-back reuses the old ReplicaSet under a new revision number.
    simulation.apply(deployment(4, "i:1", strategy));
    for _ in 0..8 {
        simulation.advance(2);
    }
    assert_eq!(simulation.names("ReplicaSet").len(), 2);
    assert_eq!(simulation.get("Deployment", "web").annotation("deployment.kubernetes.io/revision"), Some("3"));
    assert_eq!(images(&simulation), ["i:1"; 4]);
}

// STG-7
#[test]
fn recreate_brings_the_old_pods_down_first() {
    let mut simulation = Simulation::new();
    simulation.apply(deployment(3, "i:1", json!({"type": "Recreate"})));
    simulation.delays = StageDelays { terminated: Duration::from_secs(5), ..StageDelays::NONE };
    simulation.apply(deployment(3, "i:2", json!({"type": "Recreate"})));
    assert_eq!(images(&simulation), ["i:1"; 3]);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Available").0, "False");
    simulation.advance(5);
    assert_eq!(images(&simulation), ["i:2"; 3]);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Available").0, "True");
}

// STG-7
#[test]
fn a_roll_out_that_makes_no_progress_times_out() {
    let mut simulation = Simulation::new();
    let mut stuck = deployment(1, "i:1", json!({}));
    stuck["spec"]["progressDeadlineSeconds"] = json!(60);
    stuck["metadata"]["annotations"] = json!({OUTCOME: "never"});
    simulation.apply(stuck);
    simulation.advance(59);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Progressing").0, "True");
    simulation.advance(1);
    let web = simulation.get("Deployment", "web");
    assert_eq!(condition_of(web, "Progressing"), ("False", "ProgressDeadlineExceeded"));
    assert_eq!(condition_of(web, "Available"), ("False", "MinimumReplicasUnavailable"));
    assert_eq!(count(web, "unavailableReplicas"), 1);
}

// STG-7
#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    let mut simulation = Simulation::new();
    simulation.apply(deployment(2, "i:1", json!({})));
    let mut paused = deployment(3, "i:2", json!({}));
    paused["spec"]["paused"] = json!(true);
    simulation.apply(paused);
    assert_eq!(images(&simulation), ["i:1"; 3]);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Progressing"), ("Unknown", "DeploymentPaused"));
    simulation.apply(deployment(3, "i:2", json!({})));
    assert_eq!(images(&simulation), ["i:2"; 3]);
    assert_eq!(condition_of(simulation.get("Deployment", "web"), "Progressing"), ("True", "NewReplicaSetAvailable"));
}

// STG-7
#[test]
fn old_revisions_are_kept_up_to_the_limit() {
    let mut simulation = Simulation::new();
    for image in ["i:1", "i:2", "i:3", "i:4"] {
        let mut next = deployment(1, image, json!({}));
        next["spec"]["revisionHistoryLimit"] = json!(1);
        simulation.apply(next);
    }
    let images: Vec<&str> =
        simulation.all("ReplicaSet").iter().map(|set| text(set, "/spec/template/spec/containers/0/image")).collect();
    assert_eq!(images.len(), 2);
    assert!(images.contains(&"i:3") && images.contains(&"i:4"), "{images:?}");
}

// STG-8
#[test]
fn availability_waits_for_the_minimum_time_of_readiness() {
    let mut simulation = Simulation::new();
    let mut slow = deployment(1, "i:1", json!({}));
    slow["spec"]["minReadySeconds"] = json!(10);
    simulation.apply(slow);
    simulation.advance(9);
    let web = simulation.get("Deployment", "web");
    assert_eq!((count(web, "readyReplicas"), count(web, "availableReplicas")), (1, 0));
    simulation.advance(1);
    assert_eq!(count(simulation.get("Deployment", "web"), "availableReplicas"), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // STG-7: an update ends and never leaves its bounds, whatever the sizes and bounds.
    #[test]
    fn every_rolling_update_ends_within_its_bounds(replicas in 0_i64..7, next in 0_i64..7, surge in 0_i64..4, unavailable in 0_i64..4, ready in 0_u64..3) {
        let mut simulation = Simulation::new();
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
        simulation.apply(deployment(replicas, "i:1", strategy.clone()));
        simulation.delays = StageDelays { ready: Duration::from_secs(ready), ..StageDelays::NONE };
        simulation.watch_pods();
        simulation.apply(deployment(next, "i:2", strategy));
        for _ in 0..30 {
            simulation.advance(ready.max(1));
        }
        prop_assert_eq!(images(&simulation), vec!["i:2"; next as usize]);
        let web = simulation.get("Deployment", "web");
        prop_assert_eq!(int(web, "/status/availableReplicas"), next);
        prop_assert_eq!(at(web, "/status/observedGeneration"), &json!(2));
        prop_assert!(simulation.most_pods as i64 <= replicas.max(next) + surge, "{} pods", simulation.most_pods);
        let spare = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        prop_assert!(simulation.least_ready as i64 >= replicas.min(next) - spare, "{} ready", simulation.least_ready);
    }
}
