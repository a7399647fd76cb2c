//! Scenarios under every disturbance: wherever an operator dies, whatever a request is answered, however late events come, and whoever else
//! does the same work, the end is that of the undisturbed run.
//!
//! A [`Scenario`] says what the operator is and what happens in its cluster; [`survives`] plays it.
//!
//! Two replicas share the work by leases: at each request of the one that leads, leadership moves to the other, or the leader stands still for longer
//! than its lease lasts. No replica may write that does not hold the lease, and nothing may be created or deleted twice.
//!
//! Faults that last are met once per verb and resource: 500, 429 with and without `Retry-After` and refused connections, for 1, 30 and
//! 300 seconds. Everything must be in order within a minute of their end, with few requests in between.
//!
//! On the embedded server every point of a scenario is tried, in virtual time: it is prepared once, and each run starts from a fork of its
//! server. On a real server some points are tried. `KUBEWRIGHT_DISTURBANCE=all` also tries every point of what is sampled by default (second
//! crashes, faults that last, changes of the leader, scenarios that combine others), `=9` every ninth run only, any other text the runs whose
//! description contains it, such as `crash after request 12`.

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
pub use scenario::{Scenario, Step};

use points::DisturbanceExtent;
use run::Stage;
use trouble::Disturbance;

use crate::cluster::fail;
use crate::each;

/// Plays a scenario undisturbed and under everything, and compares. Panics with all differences; prints how many runs there were, and what
/// faults that lasted cost.
pub fn survives(scenario: &impl Scenario) {
    play(scenario, DisturbanceExtent::Everything);
}

/// Plays a scenario undisturbed, with two replicas, and with each trouble of the replica that leads, and compares. Panics with all
/// differences; prints how many runs there were. [`survives`] does this and more. Replicas run on the embedded server only: on another one the
/// scenario is played undisturbed.
pub fn survives_changes_of_the_leader(scenario: &impl Scenario) {
    play(scenario, DisturbanceExtent::Leaders);
}

fn play<S: Scenario>(scenario: &S, extent: DisturbanceExtent) {
    let name = scenario.name();
    let prepared = each(&[()], async |()| Stage::prepare(scenario).await).remove(0);
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
