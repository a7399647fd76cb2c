//! The metrics page, row by row of the table in `component.md`, chapter 12.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World};

const RULES: &str = include_str!("../../../../docs/spec/component.md");
/// The prefix of the Go framework, whose dashboards must work.
const PREFIX: &str = "component_operator_runtime";

/// A metric as the specification lists it.
#[derive(Debug)]
struct Row {
    name: String,
    kind: String,
    labels: BTreeSet<String>,
}

/// Returns a text up to the first semicolon, without the parts in parentheses.
fn bare(text: &str) -> String {
    let (mut bare, mut depth) = (String::new(), 0);
    for c in text.split(';').next().unwrap_or_default().chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    bare
}

fn rows() -> Vec<Row> {
    let chapter = RULES.split_once("\n## 12. ").unwrap().1.split_once("\n## 13. ").unwrap().0;
    let mut rows = Vec::new();
    for line in chapter.lines().filter(|line| line.starts_with("| `")) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let kinds: Vec<&str> = columns[2].split(" / ").filter_map(|kind| kind.split(' ').next()).collect();
        let labels = bare(columns[3]);
        for (number, name) in columns[1].split('`').skip(1).step_by(2).enumerate() {
            let (name, more) = name.split_once('{').unwrap_or((name, ""));
            let labels = labels.split(',').chain([more.trim_end_matches('}')]).map(|label| label.trim().to_owned());
            rows.push(Row {
                name: name.to_owned(),
                kind: (*kinds.get(number).unwrap_or(&kinds[0])).to_owned(),
                labels: labels.filter(|label| !label.is_empty()).collect(),
            });
        }
    }
    rows
}

/// Returns the labels of each series of a metric.
fn series<'a>(page: &'a str, name: &str) -> Vec<Vec<(&'a str, &'a str)>> {
    let start = format!("{PREFIX}_{name}{{");
    let labels = |line: &'a str| {
        let labels = line.strip_prefix(&start)?.split_once('}')?.0;
        Some(labels.trim_end_matches('"').split("\",").filter_map(|label| label.split_once("=\"")).collect())
    };
    page.lines().filter_map(labels).collect()
}

fn count(page: &str, line: &str) -> u64 {
    let start = format!("{PREFIX}_{line} ");
    page.lines().find_map(|found| found.strip_prefix(&start)?.parse().ok()).unwrap_or(0)
}

/// Renders the objects of the spec. A component named `flighty` gets one more, which differs in each rendering.
async fn flighty(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    static RENDERINGS: AtomicUsize = AtomicUsize::new(0);
    let mut manifests = objects(cx).await?;
    if cx.name() == "flighty" {
        let number = RENDERINGS.fetch_add(1, Ordering::SeqCst).to_string();
        manifests.push(Manifest::from_json(config_map("flighty", &number))?);
    }
    Ok(manifests)
}

/// Starts an operator and causes an error, a conflict, a repair, a rendering that differs, and a removal.
async fn eventful() -> World {
    let mut world = World::new().await;
    let operator = Operator::new(OPERATOR).metrics_prefix(PREFIX);
    let failing = |_: &HookContext<Bundle>, component: &Bundle, _: &mut ComponentStatus| {
        let fails = component.metadata.name.as_deref() == Some("failing");
        let outcome: Flow = if fails { Failure::terminal("Refused", "the hook refuses").into() } else { Ok(()) };
        std::future::ready(outcome)
    };
    world.run_other(operator.component::<Bundle>(flighty).pre_reconcile(failing)).await;
    let one = config_map("one", "a");
    world.faults().on(Verb::Create).of("", "configmaps").times(1).forbidden();
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    world.faults().on(Verb::Update).of("", "configmaps").times(1).conflict();
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "b")])).await;
    world.until_ready("demo").await;
    world.patch(&one, json!({ "data": { "value": "edited" } })).await;
    world.until_object(&one, "repaired", |map| map["data"]["value"] == "b").await;
    world.set(&bundle("demo", &[config_map("one", "b")])).await;
    world.until_gone(&config_map("two", "")).await;
    world.set(&bundle("flighty", &[])).await;
    world.until_ready("flighty").await;
    let before = world.get(&config_map("flighty", "")).await.unwrap();
    world.delete(&before).await;
    world.until_object(&before, "another one", |map| map["metadata"]["uid"] != before["metadata"]["uid"]).await;
    world.until_ready("flighty").await;
    world.set(&bundle("failing", &[])).await;
    world.until_state("failing", "Error", "Refused").await;
    world
}

// MET-1
#[tokio::test]
async fn every_metric_of_the_rules_stands_on_the_page_with_its_type_and_labels() {
    let world = eventful().await;
    let page = world.metrics();
    let rows = rows();
    assert!(rows.len() >= 17, "{rows:#?}");
    for Row { name, kind, labels } in &rows {
        let family = if kind == "counter" { name.trim_end_matches("_total") } else { name };
        assert!(page.contains(&format!("# TYPE {PREFIX}_{family} {kind}\n")), "no {kind} {family} in {page}");
        let series = series(&page, name);
        assert!(!series.is_empty(), "no series of {name} in {page}");
        for series in series {
            let found: BTreeSet<&str> = series.iter().map(|(label, _)| *label).collect();
            assert!(labels.iter().all(|label| found.contains(label.as_str())), "{name} has {found:?} and not all of {labels:?}");
        }
    }
    let states: BTreeSet<_> =
        series(&page, "component_state").concat().into_iter().filter(|(label, _)| *label == "state").collect();
    assert_eq!(states.len(), ComponentState::ALL.len());
}

// MET-1
#[tokio::test]
async fn requests_and_errors_are_counted_for_the_controller_that_caused_them() {
    let world = eventful().await;
    let page = world.metrics();
    assert_eq!(
        count(&page, "reconcile_errors_total{controller=\"bundle\",type=\"403\"}"),
        1,
        "the create that was refused: {page}"
    );
    assert_eq!(count(&page, "reconcile_errors_total{controller=\"bundle\",type=\"409\"}"), 0, "a conflict is retried");
    assert!(count(&page, "reconcile_errors_total{controller=\"bundle\",type=\"other\"}") >= 1, "the hook: {page}");
    let requests = series(&page, "requests_total");
    let of = |controller: &str, method: &str| {
        requests.iter().any(|labels| labels.contains(&("controller", controller)) && labels.contains(&("method", method)))
    };
    assert!(of("bundle", "POST") && of("bundle", "PUT") && of("bundle", "PATCH") && of("bundle", "DELETE"), "{requests:?}");
    assert!(of("", "GET"), "watches are shared: {requests:?}");
    let operations: BTreeSet<_> =
        series(&page, "operations_total").concat().into_iter().filter(|(label, _)| *label == "action").collect();
    assert!(
        operations.is_superset(&BTreeSet::from([("action", "create"), ("action", "update"), ("action", "delete")])),
        "{operations:?}"
    );
    assert!(operations.iter().all(|(_, action)| ["read", "create", "update", "delete"].contains(action)), "{operations:?}");
}
