use serde_json::{Value, json};

use crate::workloads::StageDelays;
use crate::workloads::read::{list, text};
use crate::workloads::simulation::Simulation;
use crate::workloads::stage_request::OUTCOME;

fn cron_job(spec: Value) -> Value {
    let pods = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]}});
    let mut all = json!({"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"completions": 1, "parallelism": 1, "backoffLimit": 0, "template": pods}}});
    kubewright_machinery::patch::merge_patch(&mut all, &spec);
    json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick", "namespace": "n"}, "spec": all})
}

// STG-12
#[test]
fn jobs_are_created_at_their_times_and_the_oldest_forgotten() {
    let mut simulation = Simulation::new();
    simulation.apply(cron_job(json!({"successfulJobsHistoryLimit": 2})));
    simulation.advance(299);
    assert_eq!(simulation.names("Job").len(), 0);
    simulation.advance(1);
    assert_eq!(simulation.names("Job").len(), 1);
    for _ in 0..3 {
        simulation.advance(300);
    }
    assert_eq!(simulation.names("Job").len(), 2);
    let tick = simulation.get("CronJob", "tick");
    assert_eq!(text(tick, "/status/lastScheduleTime"), "2026-01-01T00:20:00Z");
    assert_eq!(text(tick, "/status/lastSuccessfulTime"), "2026-01-01T00:20:00Z");
    assert_eq!(list(tick, "/status/active").len(), 0);
}

// STG-12
#[test]
fn runs_that_overlap_are_allowed_forbidden_or_replaced() {
    for (policy, jobs) in [("Allow", 2), ("Forbid", 1), ("Replace", 1)] {
        let mut simulation = Simulation::new();
        simulation.delays = StageDelays { job_done: std::time::Duration::from_secs(400), ..StageDelays::NONE };
        simulation.apply(cron_job(json!({"concurrencyPolicy": policy})));
        simulation.advance(300);
        let first = simulation.names("Job")[0].to_owned();
        simulation.advance(300);
        assert_eq!(simulation.names("Job").len(), jobs, "{policy}");
        assert_eq!(simulation.names("Job").contains(&first.as_str()), policy != "Replace", "{policy}");
        assert_eq!(list(simulation.get("CronJob", "tick"), "/status/active").len(), jobs, "{policy}");
    }
}

// STG-12, STG-3
#[test]
fn a_suspended_cron_job_creates_no_job_and_an_outcome_annotation_reaches_the_pods() {
    let mut simulation = Simulation::new();
    simulation.apply(cron_job(json!({"suspend": true})));
    simulation.advance(3600);
    assert_eq!(simulation.names("Job").len(), 0);
    let mut simulation = Simulation::new();
    let mut failing = cron_job(json!({}));
    failing["metadata"]["annotations"] = json!({OUTCOME: "fail"});
    simulation.apply(failing);
    simulation.advance(300);
    assert!(crate::workloads::condition::is_true(simulation.all("Job")[0], "Failed"));
}

// STG-12
#[test]
fn one_job_is_created_for_many_missed_times() {
    let mut simulation = Simulation::new();
    simulation.apply(cron_job(json!({"schedule": "* * * * *", "successfulJobsHistoryLimit": 100})));
    simulation.advance(30 * 24 * 3600);
    assert_eq!(simulation.names("Job").len(), 1);
}
