//! Comparing runs, and telling how many there were.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use kubewright_machinery::patch::diff;
use serde_json::Value;

use super::lasting::{Fault, LOOK, RECOVERY};
use super::run::Outcome;
use super::trouble::Disturbance;

/// So many more writes of one object than in the undisturbed run are in order for each operator: a conflict is retried five times.
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
        let more = match disturbance.lasts() {
            None => MORE,
            // Creates of one kind count together, since their paths name no object.
            Some(lasts) if object.ends_with(' ') => Fault::most_requests(lasts),
            // Each pass tries three times.
            Some(lasts) => MORE + 3 * Fault::most_passes(lasts),
        };
        let most = disturbance.operators() * plain.writes.get(object).copied().unwrap_or(0) + more;
        if *writes > most {
            found.push(format!("{disturbance}: {object} was written {writes} times, more than {most}"));
        }
    }
    if let Some(lasts) = disturbance.lasts() {
        let (recovery, longest) = (disturbed.recovery.unwrap_or_default(), RECOVERY + plain.took + LOOK);
        if recovery > longest {
            found.push(format!("{disturbance}: in order {recovery:?} after the end of the fault, more than {longest:?}"));
        }
        let requests = disturbed.requests.saturating_sub(plain.requests);
        let most = Fault::most_requests(lasts);
        if requests > most {
            found.push(format!("{disturbance}: {requests} requests more than undisturbed, which is more than {most}"));
        }
    }
    found
}

/// What faults that lasted cost at most, by how long they lasted.
#[derive(Debug, Default)]
pub(super) struct Spans(BTreeMap<Duration, Span>);

#[derive(Debug, Default)]
struct Span {
    runs: usize,
    requests: usize,
    recovery: Duration,
}

impl Spans {
    pub(super) fn add(&mut self, plain: &Outcome, disturbed: &Outcome, disturbance: &Disturbance) {
        let Some(lasts) = disturbance.lasts() else { return };
        let span = self.0.entry(lasts).or_default();
        span.runs += 1;
        span.requests = span.requests.max(disturbed.requests.saturating_sub(plain.requests));
        // What the scenario itself takes is no recovery.
        span.recovery = span.recovery.max(disturbed.recovery.unwrap_or_default().saturating_sub(plain.took));
    }
}

/// Says what faults that lasted cost.
pub(super) fn tell_lasting(scenario: &str, spans: &Spans) {
    for (lasts, Span { runs, requests, recovery }) in &spans.0 {
        let recovery = recovery.as_secs_f64();
        let line = format!(
            "{scenario}: {runs} faults of {lasts:?}: at most {requests} requests more, in order at most {recovery:.1} s after the end"
        );
        drop(writeln!(std::io::stderr(), "{line}"));
    }
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
