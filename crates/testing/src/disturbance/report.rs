//! The comparison of runs, and the report of their number.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use kubewright_machinery::patch::diff;
use serde_json::Value;

use super::lasting::{LOOK, LastingFault, RECOVERY};
use super::run::ScenarioOutcome;
use super::trouble::Disturbance;

/// The number of additional writes of one object that each operator may make compared with the undisturbed run: a conflict is retried five times.
const MORE: usize = 6;

/// Returns the differences between a disturbed run and the undisturbed one.
fn differences(plain: &ScenarioOutcome, disturbed: &ScenarioOutcome, disturbance: &Disturbance) -> Vec<String> {
    let mut found = Vec::new();
    let titles = plain.objects.keys().chain(disturbed.objects.keys().filter(|title| !plain.objects.contains_key(*title)));
    for title in titles {
        let of = |outcome: &ScenarioOutcome| outcome.objects.get(title).cloned().unwrap_or(Value::Null);
        let (expected, actual) = (of(plain), of(disturbed));
        if actual != expected {
            let difference = diff(&expected, &actual).unwrap_or_default();
            found.push(format!("{disturbance}: {title} differs by {difference}"));
        }
    }
    found.extend(
        disturbed.touched.iter().map(|object| format!("{disturbance}: {object} belongs to another program and was changed")),
    );
    for (object, writes) in &disturbed.writes {
        // Where time is real, chance decides how many events one pass answers; a loop writes far more often than that.
        let chance = if plain.is_virtual { MORE } else { 3 * MORE };
        let more = match disturbance.lasting() {
            None => chance,
            // Creates of one kind count together, since their paths name no object.
            Some((_, lasts)) if object.ends_with(' ') => LastingFault::most_requests(lasts),
            Some((fault, lasts)) => chance + plain.pace.most_writes(fault, lasts, plain.writes.len()),
        };
        let most = disturbance.operators() * plain.writes.get(object).copied().unwrap_or(0) + more;
        if *writes > most {
            found.push(format!("{disturbance}: {object} was written {writes} times, more than {most}"));
        }
    }
    if let Some((_, lasts)) = disturbance.lasting() {
        let (recovery, longest) = (disturbed.recovery.unwrap_or_default(), RECOVERY + plain.took + plain.poll + LOOK);
        if recovery > longest {
            found.push(format!("{disturbance}: in order {recovery:?} after the end of the fault, more than {longest:?}"));
        }
        let requests = disturbed.requests.saturating_sub(plain.requests);
        let most = LastingFault::most_requests(lasts);
        if requests > most {
            found.push(format!("{disturbance}: {requests} requests more than undisturbed, which is more than {most}"));
        }
    }
    found
}

/// The results of runs.
#[derive(Debug, Default)]
pub(super) struct RunTally {
    /// The number of runs of each kind.
    kinds: BTreeMap<String, usize>,
    failures: Vec<String>,
    spans: Spans,
    leaders: LeaderTally,
}

/// The results of runs with replicas.
#[derive(Debug, Default)]
struct LeaderTally {
    runs: usize,
    /// The number of runs in which a disturbance of the leader began.
    met: usize,
    wrong_ends: usize,
    double_actions: usize,
}

impl RunTally {
    /// Adds a run.
    pub(super) fn add(&mut self, plain: &ScenarioOutcome, outcome: Result<ScenarioOutcome, String>, disturbance: &Disturbance) {
        *self.kinds.entry(disturbance.kind()).or_insert(0) += 1;
        let (mut wrong, mut double) = (Vec::new(), Vec::new());
        match &outcome {
            Ok(outcome) => {
                self.spans.add(plain, outcome, disturbance);
                wrong = differences(plain, outcome, disturbance);
                double = double_actions(plain, outcome, disturbance);
            }
            Err(error) => wrong.push(format!("{disturbance}: {error}")),
        }
        if disturbance.is_replicated() {
            self.leaders.runs += 1;
            self.leaders.met += usize::from(outcome.is_ok_and(|outcome| outcome.met_leader));
            self.leaders.wrong_ends += usize::from(!wrong.is_empty());
            self.leaders.double_actions += double.len();
        }
        self.failures.extend(wrong);
        self.failures.extend(double);
    }

    /// Returns the differences from the undisturbed run, and the errors of runs.
    pub(super) fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Prints the number and the cost of the runs, bypassing the test harness, which shows the output of failing tests only.
    pub(super) fn tell(&self, scenario: &str, requests: usize) {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let runs = self.kinds.values().sum::<usize>() + 1;
        print(&format!("{scenario}: {runs} runs of about {requests} requests (undisturbed 1, {})", kinds.join(", ")));
        let LeaderTally { runs, met, wrong_ends, double_actions } = self.leaders;
        if runs > 0 {
            print(&format!(
                "{scenario}: {runs} runs with two replicas, in {met} of which the leader was moved or paused: {wrong_ends} wrong ends, {double_actions} double actions"
            ));
        }
        self.spans.tell(scenario);
    }
}

/// Returns the writes of replicas that did not lead, and the objects that were created or deleted more often than by a single process.
fn double_actions(plain: &ScenarioOutcome, disturbed: &ScenarioOutcome, disturbance: &Disturbance) -> Vec<String> {
    if !disturbance.is_replicated() {
        return Vec::new();
    }
    let mut found: Vec<String> = disturbed.unled.iter().map(|write| format!("{disturbance}: {write}")).collect();
    for (what, times) in &disturbed.births_and_deaths {
        let expected = plain.births_and_deaths.get(what).copied().unwrap_or(0);
        if *times > expected {
            found.push(format!("{disturbance}: {what} {times} times, undisturbed {expected} times"));
        }
    }
    found
}

/// The highest cost of faults that lasted, by their duration.
#[derive(Debug, Default)]
struct Spans(BTreeMap<Duration, Span>);

#[derive(Debug, Default)]
struct Span {
    runs: usize,
    requests: usize,
    recovery: Duration,
}

impl Spans {
    fn add(&mut self, plain: &ScenarioOutcome, disturbed: &ScenarioOutcome, disturbance: &Disturbance) {
        let Some((_, lasts)) = disturbance.lasting() else { return };
        let span = self.0.entry(lasts).or_default();
        span.runs += 1;
        span.requests = span.requests.max(disturbed.requests.saturating_sub(plain.requests));
        // The duration of the scenario itself does not count as recovery.
        span.recovery = span.recovery.max(disturbed.recovery.unwrap_or_default().saturating_sub(plain.took));
    }

    fn tell(&self, scenario: &str) {
        for (lasts, Span { runs, requests, recovery }) in &self.0 {
            let recovery = recovery.as_secs_f64();
            print(&format!(
                "{scenario}: {runs} faults of {lasts:?}: at most {requests} requests more, in order at most {recovery:.1} s after the end"
            ));
        }
    }
}

fn print(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}
