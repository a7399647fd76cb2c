//! Which disturbances a scenario is put under.

use std::time::Duration;

use kubewright_apiserver::kinds::Verb;

use super::lasting::{Fault, SPANS};
use super::leaders::{LeaderTrouble, RequestPoint};
use super::run::Outcome;
use super::trouble::Disturbance;

/// The answers that a single request may get instead of its own.
const CODES: [u16; 3] = [409, 429, 500];
/// Longer than a pass takes, longer than any back-off so far, and nearly as long as a watch lasts: its successor starts to wait anew.
const DELAYS: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(45), Duration::from_mins(4)];
/// Runs with events in an order of their own.
const SHUFFLES: usize = 8;

/// Of second crashes one in so many is tried by default; where time is real, of scenarios that combine others, too.
const SAMPLE: usize = 3;

/// Of the faults that last, one in so many by default: a number that shares no factor with how many there are for each verb and resource,
/// so that these take turns.
const LASTING_SAMPLE: usize = 7;

/// The kinds of disturbances that a scenario is put under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DisturbanceExtent {
    Everything,
    /// Those of replicas that lead.
    Leaders,
}

/// The selection of runs by `KUBEWRIGHT_DISTURBANCE`.
enum Wish {
    /// All, but only samples of the runs that combine others.
    Usual,
    /// All.
    All,
    /// Every so many-th.
    Every(usize),
    /// Those whose text contains this.
    Named(String),
}

impl Wish {
    fn read() -> Self {
        match std::env::var("KUBEWRIGHT_DISTURBANCE") {
            Err(_) => Self::Usual,
            Ok(text) if text == "all" => Self::All,
            Ok(text) => text.parse().map_or(Self::Named(text), |every: usize| Self::Every(every.max(1))),
        }
    }
}

/// Of the troubles of leaders, one in so many by default: a number that shares no factor with their number for each request.
const LEADER_SAMPLE: usize = 3;

/// All disturbances of a scenario whose undisturbed run was this one, and in which leading replicas sent so many requests.
pub(super) fn chosen(plain: &Outcome, leader_requests: usize, extent: DisturbanceExtent, one_in: usize) -> Vec<Disturbance> {
    let mut all = if plain.is_virtual { everywhere(plain) } else { a_few(plain) };
    if extent == DisturbanceExtent::Leaders {
        all.clear();
    }
    all.extend(of_leaders(leader_requests));
    match Wish::read() {
        Wish::All => all,
        Wish::Usual if one_in > 1 => sampled(all, if plain.is_virtual { one_in } else { one_in.min(SAMPLE) }),
        Wish::Usual if !plain.is_virtual => all,
        Wish::Usual => {
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
        Wish::Every(stride) => all.into_iter().step_by(stride).collect(),
        Wish::Named(text) => all.into_iter().filter(|disturbance| disturbance.to_string().contains(&text)).collect(),
    }
}

/// One in so many runs: of the first group of so many the first, of the next the second, and so on, so that kinds of disturbances take turns that stand in
/// a fixed order at each point.
fn sampled(all: Vec<Disturbance>, one_in: usize) -> Vec<Disturbance> {
    let is_chosen = |nth: usize| nth % one_in == nth / one_in % one_in;
    all.into_iter().enumerate().filter(|(nth, _)| is_chosen(*nth)).map(|(_, one)| one).collect()
}

/// Each trouble of leaders, before and after each request.
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

/// Each kind of disturbance at each point.
fn everywhere(plain: &Outcome) -> Vec<Disturbance> {
    let points = 0..plain.requests;
    let mut all = Vec::new();
    all.extend(points.clone().map(|after| Disturbance::Crash { after, again: None }));
    // The second crash comes while the next process starts, or soon after; where, goes round.
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
        for fault in Fault::ALL {
            all.extend(SPANS.map(|lasts| lasting(fault, *verb, group, plural, lasts)));
        }
    }
    all
}

fn lasting(fault: Fault, verb: Verb, group: &str, plural: &str, lasts: Duration) -> Disturbance {
    Disturbance::Lasting { fault, verb, group: group.to_owned(), plural: plural.to_owned(), lasts }
}

/// Where time is real, and each run takes a while: some kinds, at points that differ.
fn a_few(plain: &Outcome) -> Vec<Disturbance> {
    let at = |nth: usize| plain.requests * nth / 9;
    let mut few = vec![
        Disturbance::Crash { after: at(2), again: Some(at(1)) },
        Disturbance::Answer { at: at(3), code: 409 },
        Disturbance::DropAfter { at: at(6) },
        Disturbance::Second { at: at(1) },
    ];
    let asked = |verb: Verb| plain.asked.iter().find(|(asked, _, plural)| *asked == verb && plural != "events");
    for (fault, verb) in [(Fault::Error, Verb::Create), (Fault::Refused, Verb::Patch)] {
        few.extend(asked(verb).map(|(verb, group, plural)| lasting(fault, *verb, group, plural, SPANS[0])));
    }
    few
}
