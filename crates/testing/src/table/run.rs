//! The execution of one row, from its server to its differences.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt as _;
use kube::Resource as _;
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::clock::Random;
use kubewright_runtime::controller::OnePass;
use kubewright_runtime::events::EventSink;
use kubewright_runtime::operator::{Operator, PreparedOperator};
use kubewright_runtime::reconcile::{ControllerExt as _, Reconcile};
use parking_lot::Mutex;

use super::address::{ObjectAddress, Plurals};
use super::compare::ComparisonRules;
use super::expected::Expected;
use super::wire::Wire;
use super::{Apply, RowEnd, TableRow, TableTest, diff, fault, seed};
use crate::{TestCluster, Tier};

/// The time that tasks may still run when a row is over.
const GRACE: Duration = Duration::from_secs(5);
/// The number of times that tasks are given a turn before that time passes.
const YIELDS: usize = 1_000;
/// The time limit for the start of a controller.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Runs a row.
pub(super) async fn run<R: Reconcile>(table: &TableTest<R>, row: &TableRow<R>) -> RowEnd {
    let tier = match Tier::from_env() {
        Ok(tier) => tier,
        Err(error) => return RowEnd::Failed(vec![error.to_string()]),
    };
    if let Some(reason) = unfit(tier, row) {
        return RowEnd::Skipped(reason);
    }
    let differences = match row.key.parse::<Key>() {
        Ok(key) => differences(table, row, tier, key).await.unwrap_or_else(|error| vec![error]),
        Err(_) if row.is_ignored => Vec::new(),
        Err(error) => vec![format!("the key is refused: {error}; `.expect_ignored()` expects that")],
    };
    if differences.is_empty() { RowEnd::Passed } else { RowEnd::Failed(differences) }
}

/// Returns the reason why a row cannot run on a cluster of this tier (TTBL-9); `None` if it can.
fn unfit<R>(tier: Tier, row: &TableRow<R>) -> Option<String> {
    match tier {
        Tier::Embedded => None,
        Tier::Kubeconfig => {
            Some("rows write into fixed namespaces, which others may use in the cluster of a kubeconfig".to_owned())
        }
        _ if row.now.is_some() => Some("the time of a real server cannot be set".to_owned()),
        _ => seed::forged(&row.given),
    }
}

/// Runs the pass and returns all differences; an error if the pass cannot run.
async fn differences<R: Reconcile>(table: &TableTest<R>, row: &TableRow<R>, tier: Tier, key: Key) -> Result<Vec<String>, String> {
    let slot = Arc::new(OnceLock::new());
    let operator = operator(table, row, &slot);
    let mut definitions: Vec<_> = operator.declarations().crds().cloned().collect();
    definitions.extend(table.definitions.iter().cloned());
    let cluster = seed::start(tier, key.namespace(), row.now, &definitions, &row.given).await?;
    cluster.journal().keep_bodies(true);
    let mut plurals = Plurals::default();
    let known = seed::known(&cluster, &mut plurals, &row.given).await?;
    for expected in &row.expected {
        learn(&mut plurals, &cluster, expected).await?;
    }

    let (wire, events) = (Wire::default(), Arc::new(Mutex::new(Vec::new())));
    let tasks = alive_tasks();
    let (prepared, pass) = {
        let client = wire.client(cluster.operator_client(None).await, cluster.namespace());
        let operator = operator.clock(cluster.clock().clone());
        let prepared = operator.prepare(client, sink(&events)).await.map_err(|error| format!("failed to {error}"))?;
        for (verb, resource) in &row.failures {
            fault::induce(&cluster, verb, resource).await.map_err(|error| format!("failed to {error}"))?;
        }
        row.faults.iter().for_each(|rules| rules(cluster.faults()));
        let controller = prepared.controllers().next().unwrap_or_default().to_owned();
        let pass = prepared.pass(&controller, key.clone()).await.ok_or("the operator has no controller")?;
        (prepared, pass)
    };

    let mut found = Vec::new();
    found.extend(outcome(row, &pass));
    let primary = ObjectAddress {
        group: R::Kind::group(&()).into_owned(),
        resource: R::Kind::plural(&()).into_owned(),
        namespace: key.namespace().to_owned(),
        name: key.name().to_owned(),
    };
    let rules = ComparisonRules {
        ignored: &row.ignored,
        is_unordered: row.is_unordered,
        namespace: (!row.is_any_namespace).then(|| key.namespace()),
        primary,
        plurals,
    };
    found.extend(rules.differences(&row.expected, known, wire.sent()));
    found.extend(different_events(&row.events, &events.lock()));
    found.extend(post(row, &cluster, slot.get()).await);
    drop(slot);
    found.extend(leaked(prepared, (tier == Tier::Embedded).then_some(tasks)).await);
    Ok(found)
}

fn operator<R: Reconcile>(table: &TableTest<R>, row: &TableRow<R>, slot: &Arc<OnceLock<Arc<R>>>) -> Operator {
    let operator = (table.operator)().random(Random::seeded(7)).options(|options| {
        options.admin = None;
        options.startup_timeout = Some(START_LIMIT);
        options.system_namespace.get_or_insert_with(|| "kubewright-system".to_owned());
    });
    let operator = row.changes.iter().fold(operator, |operator, change| change(operator));
    operator.add_controller((table.controller)().keep_in(Arc::clone(slot)))
}

fn sink(events: &Arc<Mutex<Vec<String>>>) -> EventSink {
    let events = Arc::clone(events);
    Arc::new(move |occurrence| {
        let event = &occurrence.event;
        events.lock().push(format!("{} {} {}", event.kind.as_str(), event.reason.as_str(), event.note));
    })
}

async fn learn(plurals: &mut Plurals, cluster: &TestCluster, expected: &Expected) -> Result<(), String> {
    let kind = match expected {
        Expected::Create(object)
        | Expected::Update(object)
        | Expected::Status(object)
        | Expected::Apply(Apply { object, .. }) => {
            let lacks = || format!("an expected object lacks apiVersion or kind: {object}");
            object.gvk().ok_or_else(lacks)?
        }
        Expected::Delete(delete) => delete.kind.clone(),
        Expected::DeleteCollection(delete) => delete.kind.clone(),
        Expected::Patch(_) | Expected::FinalizerAdded(_) | Expected::FinalizerRemoved(_) => return Ok(()),
    };
    plurals.learn(cluster.client(), &kind).await
}

fn outcome<R>(row: &TableRow<R>, pass: &OnePass) -> Option<String> {
    if row.is_ignored {
        return pass.called.then(|| "Extra pass: expected the key to be ignored, and a method was called".to_owned());
    }
    row.outcome.difference(&pass.outcome)
}

fn different_events(expected: &[String], found: &[String]) -> Option<String> {
    if expected == found {
        return None;
    }
    let missing = expected.iter().filter(|event| !found.contains(event)).map(|event| format!("Missing event {event}"));
    let extra = found.iter().filter(|event| !expected.contains(event)).map(|event| format!("Extra event {event}"));
    let mut lines: Vec<String> = missing.chain(extra).collect();
    lines.push("Different events".to_owned());
    lines.push(diff::lists((expected, "expected"), (found, "recorded")));
    Some(lines.join("\n"))
}

async fn post<R>(row: &TableRow<R>, cluster: &TestCluster, reconciler: Option<&Arc<R>>) -> Option<String> {
    let (check, reconciler) = (row.post.as_ref()?, reconciler?);
    let ended = AssertUnwindSafe(check.call(row, cluster, reconciler)).catch_unwind().await;
    ended.err().map(|panic| format!("`post` failed: {}", crate::each::message(panic.as_ref())))
}

/// Returns the number of tasks on this row's runtime, including those of its server.
fn alive_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Returns a report about tasks that outlive the controller (TCL-8), if there are any.
async fn leaked(prepared: PreparedOperator, before: Option<usize>) -> Option<String> {
    let stuck = prepared.stop(GRACE).await;
    if !stuck.is_empty() {
        return Some(format!("Leaked task: {} did not end when asked to", stuck.join(", ")));
    }
    let before = before?;
    let more = || alive_tasks().saturating_sub(before);
    for _ in 0..YIELDS {
        if more() == 0 {
            return None;
        }
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(GRACE).await;
    (more() > 0).then(|| format!("Leaked task: {} without a name still run when the pass is over", more()))
}
