//! The selection of the disturbances of a scenario.

use std::time::Duration;

use kubewright_middleware::Verb;

use super::lasting::{LastingFault, SPANS};
use super::leaders::{LeaderTrouble, RequestPoint};
use super::run::ScenarioOutcome;
use super::trouble::Disturbance;

/// The status codes with which a single request is answered.
const CODES: [u16; 3] = [409, 429, 500];
/// The delays of events: longer than a pass takes, longer than any back-off so far, and nearly as long as a watch lasts, so that
/// the wait begins again with its successor.
const DELAYS: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(45), Duration::from_mins(4)];
/// The number of runs with shuffled events.
const SHUFFLES: usize = 8;

/// The sampling of second crashes by default: one in this many is tried. In real time it is also the largest sampling of scenarios that combine others.
const SAMPLE: usize = 3;

/// The sampling of lasting faults by default: one in this many is tried. The number shares no factor with the number of faults for each verb and
/// resource, so that all of them take turns.
const LASTING_SAMPLE: usize = 7;

/// The kinds of disturbances that a scenario is put under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DisturbanceExtent {
    Everything,
    /// Only the disturbances of replicas that lead.
    Leaders,
}

/// The selection of runs by `KUBEWRIGHT_DISTURBANCE`.
enum RunSelection {
    /// All runs, but only samples of those that combine disturbances. The default.
    Usual,
    /// All runs.
    All,
    /// Every n-th run.
    Every(usize),
    /// The runs whose description contains this text.
    Named(String),
}

impl RunSelection {
    fn read() -> Self {
        match std::env::var("KUBEWRIGHT_DISTURBANCE") {
            Err(_) => Self::Usual,
            Ok(text) if text == "all" => Self::All,
            Ok(text) => text.parse().map_or(Self::Named(text), |every: usize| Self::Every(every.max(1))),
        }
    }
}

/// The sampling of disturbances of leaders by default: one in this many is tried. The number shares no factor with their number for each request.
const LEADER_SAMPLE: usize = 3;

/// Returns the selected disturbances of a scenario with this undisturbed run, in which leading replicas sent this many requests.
pub(super) fn chosen(
    plain: &ScenarioOutcome,
    leader_requests: usize,
    extent: DisturbanceExtent,
    one_in: usize,
) -> Vec<Disturbance> {
    let mut all = if plain.is_virtual { everywhere(plain) } else { a_few(plain) };
    if extent == DisturbanceExtent::Leaders {
        all.clear();
    }
    all.extend(of_leaders(leader_requests));
    match RunSelection::read() {
        RunSelection::All => all,
        RunSelection::Usual if one_in > 1 => sampled(all, if plain.is_virtual { one_in } else { one_in.min(SAMPLE) }),
        RunSelection::Usual if !plain.is_virtual => all,
        RunSelection::Usual => {
            let (mut lasting, mut leaders) = (0, 0);
            let mut is_usual = |one: &Disturbance| match one {
                Disturbance::Crash { after, again: Some(_) } => after % SAMPLE == 0,
                Disturbance::Lasting { .. } => {
                    lasting += 1;
                    lasting % LASTING_SAMPLE == 1
                }
                Disturbance::Leader { .. } => {
                    leaders += 1;
                    leaders % LEADER_SAMPLE == 1
                }
                _ => true,
            };
            all.into_iter().filter(|one| is_usual(one)).collect()
        }
        RunSelection::Every(stride) => all.into_iter().step_by(stride).collect(),
        RunSelection::Named(text) => all.into_iter().filter(|disturbance| disturbance.to_string().contains(&text)).collect(),
    }
}

/// Returns one in this many runs: the first of the first group, the second of the next group, and so on. The kinds of disturbances have a fixed order
/// at each point, so this lets them take turns.
fn sampled(all: Vec<Disturbance>, one_in: usize) -> Vec<Disturbance> {
    let is_chosen = |nth: usize| nth % one_in == nth / one_in % one_in;
    all.into_iter().enumerate().filter(|(nth, _)| is_chosen(*nth)).map(|(_, one)| one).collect()
}

/// Returns each disturbance of leaders, before and after each request.
fn of_leaders(requests: usize) -> Vec<Disturbance> {
    let mut all = Vec::new();
    for at in 0..requests {
        for trouble in [LeaderTrouble::Deposed, LeaderTrouble::Suspended] {
            for point in [RequestPoint::Before, RequestPoint::After] {
                all.push(Disturbance::Leader { trouble, at, point });
            }
        }
    }
    all
}

/// Returns each kind of disturbance at each point.
fn everywhere(plain: &ScenarioOutcome) -> Vec<Disturbance> {
    let points = 0..plain.requests;
    let mut all = Vec::new();
    all.extend(points.clone().map(|after| Disturbance::Crash { after, again: None }));
    // The second crash comes while the next process starts, or soon after; its point varies from run to run.
    all.extend(points.clone().map(|after| Disturbance::Crash { after, again: Some(after * 7 % 29) }));
    for code in CODES {
        all.extend(points.clone().map(|at| Disturbance::Answer { at, code }));
    }
    all.extend(points.clone().map(|at| Disturbance::DropBefore { at }));
    all.extend(points.clone().map(|at| Disturbance::DropAfter { at }));
    for (group, plural) in &plain.watched {
        all.extend(DELAYS.map(|by| Disturbance::Late { group: group.clone(), plural: plural.clone(), by }));
        all.push(Disturbance::Silent { group: group.clone(), plural: plural.clone() });
    }
    all.extend((0..SHUFFLES).map(|run| Disturbance::Shuffled { by: Duration::from_secs(3), run }));
    all.extend(points.clone().map(|at| Disturbance::LoseHistory { at }));
    all.extend((0..4).map(|events| Disturbance::Expire { events, times: 12 }));
    all.extend(points.map(|at| Disturbance::Second { at }));
    for (verb, group, plural) in &plain.asked {
        for fault in LastingFault::ALL {
            all.extend(SPANS.map(|lasts| lasting(fault, *verb, group, plural, lasts)));
        }
    }
    all
}

fn lasting(fault: LastingFault, verb: Verb, group: &str, plural: &str, lasts: Duration) -> Disturbance {
    Disturbance::Lasting { fault, verb, group: group.to_owned(), plural: plural.to_owned(), lasts }
}

/// Returns some kinds of disturbances at different points: for real time, in which each run takes a while.
fn a_few(plain: &ScenarioOutcome) -> Vec<Disturbance> {
    let at = |nth: usize| plain.requests * nth / 9;
    let mut few = vec![
        Disturbance::Crash { after: at(2), again: Some(at(1)) },
        Disturbance::Answer { at: at(3), code: 409 },
        Disturbance::DropAfter { at: at(6) },
        Disturbance::Second { at: at(1) },
    ];
    let asked = |verb: Verb| plain.asked.iter().find(|(asked, _, plural)| *asked == verb && plural != "events");
    for (fault, verb) in [(LastingFault::Error, Verb::Create), (LastingFault::Refused, Verb::Patch)] {
        few.extend(asked(verb).map(|(verb, group, plural)| lasting(fault, *verb, group, plural, SPANS[0])));
    }
    few
}
