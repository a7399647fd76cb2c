//! Comparing runs, and telling how many there were.

use std::collections::BTreeMap;
use std::io::Write as _;

use kubewright::prelude::*;
use kubewright_machinery::patch::diff;

use super::run::Outcome;
use super::trouble::Disturbance;

/// So many more writes of one object than in the undisturbed run are in order: a conflict is retried five times.
const MORE: usize = 6;

/// What a disturbed run left otherwise than the undisturbed one.
pub(super) fn differences(plain: &Outcome, disturbed: &Outcome, disturbance: &Disturbance) -> Vec<String> {
    let mut found = Vec::new();
    let titles = plain.objects.keys().chain(disturbed.objects.keys().filter(|title| !plain.objects.contains_key(*title)));
    for title in titles {
        let of = |outcome: &Outcome| outcome.objects.get(title).cloned().unwrap_or(Value::Null);
        let (expected, actual) = (of(plain), of(disturbed));
        if actual != expected {
            let difference = diff(&expected, &actual).unwrap_or_default();
            found.push(format!("{disturbance}: {title} differs by {difference}"));
        }
    }
    found.extend(
        disturbed.touched.iter().map(|object| format!("{disturbance}: {object} belongs to somebody else and was touched")),
    );
    for (object, writes) in &disturbed.writes {
        let most = disturbance.operators() * plain.writes.get(object).copied().unwrap_or(0) + MORE;
        if *writes > most {
            found.push(format!("{disturbance}: {object} was written {writes} times, more than {most}"));
        }
    }
    found
}

/// Says how many runs there were, past the test harness, which shows only what failing tests print.
pub(super) fn tell(scenario: &str, requests: usize, disturbances: &[Disturbance]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for disturbance in disturbances {
        *counts.entry(disturbance.kind()).or_insert(0) += 1;
    }
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let runs = disturbances.len() + 1;
    let line = format!("{scenario}: {runs} runs of about {requests} requests (undisturbed 1, {})", kinds.join(", "));
    drop(writeln!(std::io::stderr(), "{line}"));
}
