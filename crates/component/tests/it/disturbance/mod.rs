//! Five scenarios under every disturbance: wherever the operator dies, whatever a request is answered, however late events come, and
//! whoever else does the same work, the end is that of the undisturbed run.
//!
//! By default a sample of the points is tried. `KUBEWRIGHT_DISTURBANCE=all` tries each, `=n` every n-th.

mod report;
mod run;
mod scenario;
mod scenes;

use run::{Disturbance, Outcome, run};
use scenario::Scenario;

/// Of so many points one is tried by default.
const STRIDE: usize = 9;
/// What a single request may be answered instead of what it should be.
const ANSWERS: [Disturbance; 5] = [
    Disturbance::Answer { at: 0, code: 409 },
    Disturbance::Answer { at: 0, code: 429 },
    Disturbance::Answer { at: 0, code: 500 },
    Disturbance::DropBefore { at: 0 },
    Disturbance::DropAfter { at: 0 },
];

fn stride() -> usize {
    match std::env::var("KUBEWRIGHT_DISTURBANCE").as_deref() {
        Ok("all") => 1,
        Ok(text) => text.parse().unwrap_or(STRIDE),
        Err(_) => STRIDE,
    }
}

/// The points of a run with so many requests. Each kind of disturbance starts elsewhere, so that samples spread.
fn points(requests: usize, offset: usize) -> impl Iterator<Item = usize> {
    let stride = stride();
    (0..requests).skip(offset % stride).step_by(stride)
}

/// Runs a scenario under everything, and compares.
async fn disturb(make: fn() -> Scenario) {
    let plain = run(&make(), Disturbance::None).await;
    let mut disturbances = Vec::new();
    // Time is virtual on the embedded server only; elsewhere the ends of the scale must do.
    let virtual_time = plain.is_virtual;
    let requests = if virtual_time { plain.requests } else { 0 };
    disturbances.extend(points(requests, 0).map(|after| Disturbance::Crash { after }));
    for (place, answer) in ANSWERS.into_iter().enumerate() {
        disturbances.extend(points(requests, place + 1).map(|at| answer.at(at)));
    }
    disturbances.extend(points(requests, 6).map(|at| Disturbance::LoseHistory { at }));
    if virtual_time {
        disturbances.extend(plain.watched.iter().cloned().map(|(group, plural)| Disturbance::Late { group, plural }));
    } else {
        disturbances.push(Disturbance::Crash { after: plain.requests / 2 });
    }
    disturbances.push(Disturbance::TwoOperators);
    let mut failures = Vec::new();
    let count = disturbances.len() + 1;
    for disturbance in disturbances {
        let outcome = run(&make(), disturbance.clone()).await;
        failures.extend(report::differences(&plain, &outcome, &disturbance));
    }
    println!("{}: {count} runs of {} requests each", make().name, plain.requests);
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

// PLAN-4, PLAN-7, WATCH-7, OUT-3
#[tokio::test]
async fn an_install_in_three_waves_survives_every_disturbance() {
    disturb(scenes::install).await;
}

// PLAN-4, PLAN-7, PURGE-2, RED-1
#[tokio::test]
async fn an_upgrade_with_redundant_objects_and_purges_survives_every_disturbance() {
    disturb(scenes::upgrade).await;
}

// PLAN-7, GATE-1, DEL-1
#[tokio::test]
async fn a_deletion_with_managed_types_survives_every_disturbance() {
    disturb(scenes::deletion).await;
}

// PLAN-7, OWN-1, OWN-3
#[tokio::test]
async fn adoption_and_takeover_survive_every_disturbance() {
    disturb(scenes::adoption).await;
}

// PLAN-7, DRIFT-1, DRIFT-5
#[tokio::test]
async fn drift_and_fight_survive_every_disturbance() {
    disturb(scenes::drift).await;
}

// PLAN-7, DEL-5
#[tokio::test]
async fn deletion_stages_survive_every_disturbance() {
    disturb(scenes::stages).await;
}

impl Outcome {
    fn writes_of(&self, object: &str) -> usize {
        self.writes.get(object).copied().unwrap_or(0)
    }
}
