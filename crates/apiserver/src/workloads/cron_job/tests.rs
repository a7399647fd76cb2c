use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};

use crate::types::CronSchedule;
use crate::workloads::StageDelays;
use crate::workloads::read::{list, text};
use crate::workloads::simulation::Simulation;
use crate::workloads::stage_request::OUTCOME;

fn utc(text: &str) -> Zoned {
    text.parse::<Timestamp>().unwrap().to_zoned(TimeZone::UTC)
}

fn next(schedule: &str, from: &str) -> String {
    CronSchedule::parse(schedule).unwrap().after(&utc(from)).unwrap().timestamp().to_string()
}

// STG-12
#[test]
fn schedules_name_the_next_time() {
    // 2026-01-01 is a Thursday.
    for (schedule, from, expected) in [
        ("* * * * *", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"),
        ("*/15 * * * *", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"),
        ("5/20 * * * *", "2026-01-01T00:30:00Z", "2026-01-01T00:45:00Z"),
        ("0 8-17/3 * * mon-fri", "2026-01-02T17:00:00Z", "2026-01-05T08:00:00Z"),
        ("30 2 1 * *", "2026-01-01T02:30:00Z", "2026-02-01T02:30:00Z"),
        ("0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        ("0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"),
        ("0 0 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"),
    ] {
        assert_eq!(next(schedule, from), expected, "{schedule}");
    }
}

#[test]
fn an_invalid_schedule_is_refused_and_an_impossible_date_has_no_next_time() {
    for wrong in
        ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "@never", "* * * * someday"]
    {
        assert_eq!(CronSchedule::parse(wrong), None, "{wrong:?}");
    }
    assert_eq!(CronSchedule::parse("0 0 30 2 *").unwrap().after(&utc("2026-01-01T00:00:00Z")), None);
}

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
fn a_suspended_schedule_rests_and_wishes_reach_the_pods() {
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
fn of_many_missed_times_the_latest_counts() {
    for (schedule, now, latest) in [
        ("* * * * *", "2026-03-01T00:00:30Z", "2026-03-01T00:00:00Z"),
        ("*/7 3 * * 1", "2026-03-01T00:00:00Z", "2026-02-23T03:56:00Z"),
        ("0 0 29 2 *", "2027-01-01T00:00:00Z", "2024-02-29T00:00:00Z"),
    ] {
        let schedule = CronSchedule::parse(schedule).unwrap();
        let known = schedule.after(&utc("0001-01-01T00:00:00Z")).unwrap();
        assert_eq!(schedule.latest(known, &utc(now)).timestamp().to_string(), latest);
    }
    let mut simulation = Simulation::new();
    simulation.apply(cron_job(json!({"schedule": "* * * * *", "successfulJobsHistoryLimit": 100})));
    simulation.advance(30 * 24 * 3600);
    assert_eq!(simulation.names("Job").len(), 1);
}
