//! Scenarios under every disturbance: wherever an operator dies, whatever a request is answered, however late events come, and whoever else
//! does the same work, the end is that of the undisturbed run.
//!
//! A [`Scenario`] says what the operator is and what happens in its cluster; [`survives`] plays it.
//!
//! Faults that last are met once per verb and resource: 500, 429 with and without `Retry-After` and refused connections, for 1, 30 and
//! 300 seconds. Everything must be in order within a minute of their end, with few requests in between.
//!
//! On the embedded server every point of a scenario is tried, in virtual time: it is prepared once, and each run starts from a fork of its
//! server. On a real server some points are tried. `KUBEWRIGHT_DISTURBANCE=all` also tries every point of what is sampled by default (second
//! crashes, faults that last, scenarios that combine others), `=9` every ninth run only, any other text the runs whose description contains it,
//! such as `crash after request 12`.

mod hand;
mod lasting;
mod normal;
mod player;
mod points;
mod report;
mod run;
mod scenario;
mod trouble;

pub use hand::Hand;
pub use scenario::{Scenario, Step};

use run::Stage;
use trouble::Disturbance;

use crate::cluster::fail;
use crate::each;

/// Plays a scenario undisturbed and under everything, and compares. Panics with all differences; prints how many runs there were, and what
/// faults that lasted cost.
pub fn survives(scenario: &impl Scenario) {
    let name = scenario.name();
    let prepared = each(&[()], async |()| Stage::prepare(scenario).await).remove(0);
    let stage = prepared.and_then(|stage| stage).unwrap_or_else(|error| fail(&format!("{name} cannot be prepared: {error}")));
    let run = async |disturbance: &Disturbance| stage.run(disturbance).await;
    let plain = each(&[Disturbance::None], run).remove(0);
    let plain = plain.and_then(|plain| plain).unwrap_or_else(|error| fail(&format!("{name} undisturbed: {error}")));
    assert!(!plain.objects.is_empty(), "{name} undisturbed left no objects that count: there is nothing to compare");
    let disturbances = points::chosen(&plain, scenario.is_combined());
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
