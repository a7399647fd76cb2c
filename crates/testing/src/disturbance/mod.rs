//! Scenarios under every disturbance: crashes of the operator, failing requests, late events and further processes of the operator must all lead to
//! the same end state as the undisturbed run.
//!
//! A [`Scenario`] defines the operator and the changes in its cluster; [`survives`] plays it.
//!
//! Two replicas share the work by leases: at each request of the leader, leadership moves to the other replica, or the leader is suspended for longer
//! than its lease lasts. A replica that does not hold the lease must not write, and nothing may be created or deleted twice.
//!
//! Lasting faults are played once per verb and resource: 500, 429 with and without `Retry-After` and refused connections, for 1, 30 and 300 seconds.
//! The scenario must be in its expected state within a minute of the end of the fault, with few additional requests.
//!
//! On the embedded server every point of a scenario is tried, in virtual time: the scenario is prepared once, and each run starts from a fork of its
//! server. On a real server some points are tried. `KUBEWRIGHT_DISTURBANCE=all` also tries every point of the disturbances that are sampled by
//! default (second crashes, lasting faults, changes of the leader, scenarios that combine others), `=9` tries every ninth run only, and any other
//! text the runs whose description contains it, such as `crash after request 12`.

mod component;
mod effects;
mod hand;
mod lasting;
mod leaders;
mod normal;
mod pace;
mod player;
mod points;
mod processes;
mod report;
mod run;
mod scenario;
mod trouble;

pub use component::{ComponentScenario, until_state};
pub use hand::Hand;
pub use pace::Pace;
use points::DisturbanceExtent;
use run::PreparedScenario;
pub use scenario::{Scenario, ScenarioStep};
use trouble::Disturbance;

use crate::cluster::fail;
use crate::each;

/// Plays a scenario undisturbed and under all disturbances, and compares the results. Panics with all differences; prints the
/// number of runs and the cost of lasting faults.
pub fn survives(scenario: &impl Scenario) {
    play(scenario, DisturbanceExtent::Everything);
}

/// Plays a scenario undisturbed, with two replicas, and with each disturbance of the replica that leads, and compares the results. Panics
/// with all differences; prints the number of runs. [`survives`] includes these runs. Replicas run on the embedded server only: on another
/// cluster the scenario is played undisturbed.
pub fn survives_changes_of_the_leader(scenario: &impl Scenario) {
    play(scenario, DisturbanceExtent::Leaders);
}

fn play<S: Scenario>(scenario: &S, extent: DisturbanceExtent) {
    let name = scenario.name();
    let prepared = each(&[()], async |()| PreparedScenario::prepare(scenario).await).remove(0);
    let stage = prepared.and_then(|stage| stage).unwrap_or_else(|error| fail(&format!("{name} cannot be prepared: {error}")));
    let run = async |disturbance: &Disturbance| stage.run(disturbance).await;
    let calm = |disturbance| {
        let outcome = each(std::slice::from_ref(&disturbance), run).remove(0);
        outcome.and_then(|outcome| outcome).unwrap_or_else(|error| fail(&format!("{name} {disturbance}: {error}")))
    };
    let plain = calm(Disturbance::None);
    assert!(!plain.objects.is_empty(), "{name} undisturbed left no objects that count: there is nothing to compare");
    let mut tally = report::RunTally::default();
    let mut leader_requests = 0;
    if plain.is_virtual {
        let replicas = calm(Disturbance::Replicas);
        leader_requests = replicas.leader_requests;
        tally.add(&plain, Ok(replicas), &Disturbance::Replicas);
    }
    let disturbances = points::chosen(&plain, leader_requests, extent, scenario.one_in());
    for (outcome, disturbance) in each(&disturbances, run).into_iter().zip(&disturbances) {
        tally.add(&plain, outcome.and_then(|outcome| outcome), disturbance);
    }
    tally.tell(name, plain.requests);
    let failures = tally.failures();
    assert!(failures.is_empty(), "{name}: {} differences:\n{}", failures.len(), failures.join("\n"));
}
