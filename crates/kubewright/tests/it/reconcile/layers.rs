//! Layers between the stages of passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kubewright::prelude::*;
use kubewright::runtime::reconcile::{LayerContext, LayerOutcome, Next, PassLayer, PipelineStage};
use parking_lot::Mutex;

use super::widget::{FINALIZER, Script, Widgets};
use super::world::World;

type Log = Arc<Mutex<Vec<String>>>;

/// A layer that notes, before and after the inner stages, the last write of the pass that the object has seen.
struct Noted {
    log: Log,
    tag: &'static str,
}

impl Noted {
    fn note(&self, pass: &LayerContext, way: &str) {
        let method = pass.method().map_or("-", kubewright::runtime::reconcile::Method::as_str);
        let (tag, stage, key) = (self.tag, pass.stage(), pass.key().name());
        self.log.lock().push(format!("{way} {tag}{stage:?} {method} {key} {}", pass.object_ref().resource_version));
    }
}

impl PassLayer for Noted {
    async fn pass(&self, pass: &LayerContext, next: Next<'_>) -> LayerOutcome {
        assert_eq!((pass.controller(), &*pass.kind().kind), ("widget", "Widget"));
        self.note(pass, "in");
        let outcome = next.run().await;
        assert!(outcome.flow().is_ok());
        self.note(pass, "out");
        outcome
    }
}

/// Returns the notes of the pass that ran a method, without the object's name, and with `1`, `2`, … in place of resource versions.
fn pass_of(log: &Log, method: &str) -> Vec<String> {
    let all = log.lock().clone();
    let begin = all.iter().position(|line| line == &format!("{method} runs")).unwrap();
    let from = all[..begin].iter().rposition(|line| line.starts_with("in allEvents")).unwrap();
    let to = begin + all[begin..].iter().position(|line| line.starts_with("out allEvents")).unwrap();
    let mut versions = Vec::new();
    let short = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let [way, place, called, _, version] = words[..] else { return line.clone() };
        if !versions.contains(&version.to_owned()) {
            versions.push(version.to_owned());
        }
        let number = versions.iter().position(|known| known == version).unwrap();
        format!("{way} {place} {called} {number}")
    };
    all[from..=to].iter().map(short).collect()
}

fn noting(log: &Log, method: &'static str) -> Script {
    let log = Arc::clone(log);
    Script::default().reconcile(move |_, widget, status| {
        log.lock().push(format!("{method} runs"));
        status.size = Some(widget.spec.size);
        status.conditions.mark_true("Sized");
        Box::pin(async { Ok(()) })
    })
}

// OPR-7
#[tokio::test]
async fn each_layer_runs_once_in_a_pass_directly_inside_its_stage() {
    let log = Log::default();
    let finalized = Arc::clone(&log);
    let script = noting(&log, "reconcile").finalize(move |_, _, status| {
        finalized.lock().push("finalize runs".to_owned());
        status.size = Some(0);
        Box::pin(async { Ok(()) })
    });
    let operator = Widgets::operator_with(&script, |controller| {
        let layered = |controller: Controller<Widgets>, stage| controller.layer(stage, Noted { log: Arc::clone(&log), tag: "" });
        PipelineStage::ALL.into_iter().fold(controller.finalizer(Some(FINALIZER)).observe_deleted(), layered)
    });
    let operator = operator.layer(PipelineStage::Events, Noted { log: Arc::clone(&log), tag: "all" });
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.until("the pass ends", || log.lock().iter().filter(|line| line.starts_with("out allEvents")).count() > 0).await;
    // Before the object is read, before the finalizer is set, and after both; then after the status is written.
    let expected = [
        "in allEvents - 0",
        "in Events - 0",
        "in Cache reconcile 1",
        "in Finalizer reconcile 2",
        "in Status reconcile 2",
        "in Conditions reconcile 2",
        "reconcile runs",
        "out Conditions reconcile 2",
        "out Status reconcile 2",
        "out Finalizer reconcile 3",
        "out Cache reconcile 3",
        "out Events - 3",
        "out allEvents - 3",
    ];
    assert_eq!(pass_of(&log, "reconcile"), expected);
    world.cluster.delete::<super::widget::Widget>("demo").await;
    world.cluster.expect::<super::widget::Widget>("demo").to_be_gone().await;
    world.until("the pass ends", || world.script.count("observe_deleted") > 0).await;
    let passes = log.lock().iter().filter(|line| line.starts_with("in Conditions finalize")).count();
    assert_eq!(passes, 1);
    let finalize = pass_of(&log, "finalize");
    assert_eq!(finalize.len(), expected.len(), "{finalize:#?}");
    // The status is written inside stage `Finalizer`.
    assert_eq!(finalize[8..10], ["out Status finalize 1", "out Finalizer finalize 2"], "{finalize:#?}");
    let lines = log.lock().clone();
    let end = lines.iter().rposition(|line| line.starts_with("out Cache finalize")).unwrap();
    // The pass without an object ends in stage `Cache`.
    assert!(lines[end + 1..].iter().all(|line| line.contains("Events - demo")), "{lines:#?}");
    world.stop().await;
}

/// A layer that makes objects wait while a switch is off.
struct SwitchableLayer(Arc<AtomicBool>);

impl PassLayer for SwitchableLayer {
    async fn pass(&self, pass: &LayerContext, next: Next<'_>) -> LayerOutcome {
        if pass.method() == Some(kubewright::runtime::reconcile::Method::Reconcile) && !self.0.load(Ordering::SeqCst) {
            return Flow::from(Wait::after(Delay::secs::<1>(), "Frozen").message("the gate is closed")).into();
        }
        next.run().await
    }
}

// OPR-7, SW-5
#[tokio::test]
async fn a_layer_that_prevents_the_method_is_reported_in_the_status() {
    let open = Arc::new(AtomicBool::new(false));
    let script = Script::default();
    let operator = Widgets::operator(&script).layer(PipelineStage::Conditions, SwitchableLayer(Arc::clone(&open)));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "False", "Frozen").await;
    assert_eq!(world.script.count("reconcile"), 0);
    open.store(true, Ordering::SeqCst);
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.stop().await;
}

/// A layer that turns successes into waits, once.
struct NotYet(AtomicBool);

impl PassLayer for NotYet {
    async fn pass(&self, _: &LayerContext, next: Next<'_>) -> LayerOutcome {
        let outcome = next.run().await;
        if outcome.flow().is_ok() && !self.0.swap(true, Ordering::SeqCst) {
            return outcome.replaced(Wait::after(Delay::secs::<2>(), "Settling").into());
        }
        outcome
    }
}

// OPR-7
#[tokio::test]
async fn the_stages_outside_of_a_layer_see_the_outcome_that_it_returns() {
    // A layer around the method affects conditions and event; a layer around the status affects only the event and the queue.
    for (stage, in_status) in [(PipelineStage::Conditions, true), (PipelineStage::Finalizer, false)] {
        let script = Script::default();
        let operator = Widgets::operator(&script).layer(stage, NotYet(AtomicBool::new(false)));
        let world = World::start_operator(script, operator).await;
        world.create("demo", 3).await;
        if in_status {
            world.condition("demo", "Ready", "False", "Settling").await;
        }
        world.condition("demo", "Ready", "True", "Reconciled").await;
        world.until("the pass is repeated", || world.script.count("reconcile") == 2).await;
        let waits = || world.metric("kubewright_reconcile_total", &[("result", "wait"), ("controller", "widget")]);
        world.until("the wait is counted", || waits() == Some(1.0)).await;
        world.idle(Duration::from_secs(30)).await;
        assert_eq!(world.script.count("reconcile"), 2);
        world.stop().await;
    }
}
