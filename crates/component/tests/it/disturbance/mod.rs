//! Scenarios under every disturbance: wherever the operator dies, whatever a request is answered, however late events come, and
//! whoever else does the same work, the end is that of the undisturbed run.
//!
//! Faults that last are met once per verb and resource: 500, 429 with and without `Retry-After` and refused connections, for 1, 30 and
//! 300 seconds. Everything must be in order within a minute of their end, with few requests in between.
//!
//! On the embedded server every point of every scenario is tried, in virtual time: a scenario is prepared once, and each run starts from
//! a fork of its server. On a real server some points are tried. `KUBEWRIGHT_DISTURBANCE=all` also tries every point of what is
//! sampled by default (second crashes, scenarios that combine others), `=9` every ninth run only, any other text the runs
//! whose description contains it, such as `crash after request 12`.

mod hand;
mod lasting;
mod normal;
mod player;
mod points;
mod report;
mod run;
mod scenario;
mod scenes;
mod trouble;

use kubewright_testing::each;
use run::Stage;
use scenario::Scenario;
use trouble::Disturbance;

/// Runs a scenario under everything, and compares.
fn disturb(scenario: fn() -> Scenario) {
    let Scenario { name, is_combined, .. } = scenario();
    let prepared = each(&[()], async |()| Stage::prepare(scenario()).await).remove(0);
    let stage = prepared.and_then(|stage| stage).unwrap_or_else(|error| panic!("{name} cannot be prepared: {error}"));
    let run = async |disturbance: &Disturbance| stage.run(disturbance).await;
    let plain = each(&[Disturbance::None], run).remove(0);
    let plain = plain.and_then(|plain| plain).unwrap_or_else(|error| panic!("{name} undisturbed: {error}"));
    let disturbances = points::chosen(&plain, is_combined);
    let (mut failures, mut spans) = (Vec::new(), report::Spans::default());
    for (outcome, disturbance) in each(&disturbances, run).into_iter().zip(&disturbances) {
        match outcome.and_then(|outcome| outcome) {
            Ok(outcome) => {
                spans.add(&plain, &outcome, disturbance);
                failures.extend(report::differences(&plain, &outcome, disturbance));
            }
            Err(error) => failures.push(format!("{disturbance}: {error}")),
        }
    }
    report::tell(name, plain.requests, &disturbances);
    report::tell_lasting(name, &spans);
    assert!(failures.is_empty(), "{name}: {} differences:\n{}", failures.len(), failures.join("\n"));
}

// PLAN-4, PLAN-7, WATCH-7, OUT-3
#[test]
fn an_install_in_three_waves_survives_every_disturbance() {
    disturb(scenes::install);
}

// PLAN-4, PLAN-7, PURGE-2, RED-1
#[test]
fn an_upgrade_with_redundant_objects_and_purges_survives_every_disturbance() {
    disturb(scenes::upgrade);
}

// PLAN-7, GATE-1, DEL-1
#[test]
fn a_deletion_with_managed_types_survives_every_disturbance() {
    disturb(scenes::deletion);
}

// PLAN-7, OWN-1, OWN-3
#[test]
fn adoption_and_takeover_survive_every_disturbance() {
    disturb(scenes::adoption);
}

// PLAN-7, DRIFT-1, DRIFT-5
#[test]
fn drift_and_fight_survive_every_disturbance() {
    disturb(scenes::drift);
}

// PLAN-7, DEL-5
#[test]
fn deletion_stages_survive_every_disturbance() {
    disturb(scenes::stages);
}

// PLAN-7, OPT-1, WATCH-9
#[test]
fn a_start_after_a_change_survives_every_disturbance() {
    disturb(scenes::start);
}
