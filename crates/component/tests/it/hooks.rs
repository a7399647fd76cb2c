//! Hooks: their order, and the effect of their outcomes.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright::core::flow::Event;
use kubewright::core::reason;
use kubewright::prelude::*;
use parking_lot::Mutex;

use crate::kinds::Kinds;
use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of, reason_of};

/// The behaviour of the hooks: they note their calls, and halt components that are named after a point and an outcome.
#[derive(Default)]
struct Script {
    calls: Mutex<Vec<&'static str>>,
    released: AtomicBool,
}

impl Script {
    fn play(&self, point: &'static str, component: &Bundle) -> Flow {
        self.calls.lock().push(point);
        let name = component.metadata.name.as_deref().unwrap_or_default();
        let Some(outcome) = name.strip_prefix(point).and_then(|rest| rest.strip_prefix("-")) else { return Ok(()) };
        if self.released.load(Ordering::SeqCst) {
            return Ok(());
        }
        match outcome {
            "wait" => Wait::after(Delay::secs::<1>(), reason!("Halted")).message("halted here").into(),
            "blocked" => Err(Blocked::new(reason!("Halted"), "halted here").into()),
            "terminal" => Err(Failure::terminal(reason!("Halted"), "halted here").into()),
            "failed" => Err(Failure::msg("halted here").into()),
            _ => Err(Halt::Done),
        }
    }

    /// Returns the calls since the last time.
    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.calls.lock())
    }
}

fn hook(
    script: &Arc<Script>,
    point: &'static str,
) -> impl Fn(&HookContext<Bundle>, &Bundle, &mut ComponentStatus) -> Ready<Flow> + Send + Sync + 'static + use<> {
    let script = Arc::clone(script);
    move |_, component, _| ready(script.play(point, component))
}

async fn start() -> (World, Arc<Script>) {
    let script = Arc::new(Script::default());
    let world = World::start_with(|builder| {
        let read = Arc::clone(&script);
        builder
            .post_read(move |_: &ReadContext<Bundle>, component: &Bundle, _: &mut ComponentStatus| {
                ready(read.play("post-read", component))
            })
            .pre_reconcile(hook(&script, "pre-reconcile"))
            .pre_reconcile(hook(&script, "pre-reconcile-second"))
            .post_reconcile(hook(&script, "post-reconcile"))
            .pre_delete(hook(&script, "pre-delete"))
            .post_delete(hook(&script, "post-delete"))
    })
    .await;
    (world, script)
}

// HOOK-1
#[tokio::test]
async fn hooks_run_at_their_points_in_order() {
    let (world, script) = start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    let calls = script.take();
    assert_eq!(calls[..3], ["post-read", "pre-reconcile", "pre-reconcile-second"]);
    assert!(!calls.contains(&"post-reconcile"), "incomplete: {calls:?}");
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    world.idle(std::time::Duration::from_secs(2)).await;
    let calls = script.take();
    let end = ["post-read", "pre-reconcile", "pre-reconcile-second", "post-reconcile"];
    assert_eq!(calls[calls.len() - 4..], end);
    world.delete(&kinds.component(&[])).await;
    world.until_gone(&kinds.component(&[])).await;
    let calls = script.take();
    assert_eq!(calls.first(), Some(&"post-read"));
    assert_eq!(calls.last(), Some(&"post-delete"));
    assert_eq!(calls.iter().filter(|call| **call == "post-delete").count(), 1);
    assert!(calls.contains(&"pre-delete") && !calls.contains(&"pre-reconcile"), "{calls:?}");
}

// HOOK-1, OUT-1
#[tokio::test]
async fn every_outcome_of_every_hook_shows_in_the_status() {
    let (world, script) = start().await;
    let expected = |deleting: bool, outcome: &str| match (outcome, deleting) {
        ("wait", false) => ("Pending", "Halted", false),
        ("wait", true) => ("DeletionPending", "Halted", false),
        ("failed", _) => ("Error", "Error", false),
        _ => ("Error", "Halted", true),
    };
    let outcomes = ["wait", "blocked", "terminal", "failed"];
    let name = |point: &str, outcome: &str| format!("{point}-{outcome}");
    let object = |name: &str| config_map(&format!("map-{name}"), "a");
    for point in ["post-read", "pre-reconcile", "post-reconcile", "pre-delete", "post-delete"] {
        for outcome in outcomes {
            let name = name(point, outcome);
            world.set(&bundle(&name, &[object(&name)])).await;
        }
    }
    for point in ["post-read", "pre-reconcile", "post-reconcile"] {
        for outcome in outcomes {
            let name = name(point, outcome);
            let (state, reason, stalled) = expected(false, outcome);
            let component =
                world.until(&name, state, |component| component["status"]["state"] == state && reason_of(component) == reason);
            let component = component.await;
            assert_eq!(message_of(&component), "halted here", "{name}");
            assert_eq!(condition(&component, "Stalled").is_some(), stalled, "{name}");
            let applied = world.get(&object(&name)).await.is_some();
            assert_eq!(applied, point == "post-reconcile", "{name}");
        }
    }
    for point in ["pre-delete", "post-delete"] {
        for outcome in outcomes {
            let name = name(point, outcome);
            world.until_ready(&name).await;
            world.delete(&bundle(&name, &[])).await;
            let (state, reason, stalled) = expected(true, outcome);
            let component =
                world.until(&name, state, |component| component["status"]["state"] == state && reason_of(component) == reason);
            let component = component.await;
            assert_eq!(condition(&component, "Stalled").is_some(), stalled, "{name}");
            let deleted = world.get(&object(&name)).await.is_none();
            assert_eq!(deleted, point == "post-delete", "{name}");
        }
    }
    script.released.store(true, Ordering::SeqCst);
    for outcome in outcomes {
        for point in ["post-read", "pre-reconcile", "post-reconcile", "pre-delete", "post-delete"] {
            let component = bundle(&name(point, outcome), &[]);
            if world.get(&component).await.is_some() {
                world.patch_if_there(&component, json!({ "metadata": { "annotations": { "again": "x" } } })).await;
            }
            if point.ends_with("delete") {
                world.until_gone(&component).await;
            } else {
                world.until_ready(&name(point, outcome)).await;
            }
        }
    }
}

// GEN-4, OUT-1
#[tokio::test]
async fn a_generator_halts_in_the_same_words_as_a_hook() {
    async fn halting(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
        Script::default().play("generator", cx.component())?;
        Ok(vec![Manifest::from_json(config_map("rendered", "a"))?])
    }
    let mut world = World::new().await;
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(halting)).await;
    for (outcome, state, reason, stalled) in [
        ("wait", "Pending", "Halted", None),
        ("blocked", "Error", "Halted", Some("Halted")),
        ("terminal", "Error", "Halted", Some("Halted")),
        ("failed", "Error", "Error", None),
    ] {
        let name = format!("generator-{outcome}");
        world.set(&bundle(&name, &[])).await;
        let component = world.until_state(&name, state, reason).await;
        assert_eq!(message_of(&component), "halted here");
        assert_eq!(condition(&component, "Stalled").map(|stalled| &stalled["reason"]), stalled.map(Value::from).as_ref());
    }
}

// HOOK-1, OUT-1
#[tokio::test]
async fn done_ends_a_pass_without_a_trace() {
    let (world, script) = start().await;
    world.set(&bundle("pre-reconcile-done", &[config_map("one", "a")])).await;
    world.set(&bundle("post-reconcile-done", &[config_map("two", "a")])).await;
    world.until_present(&config_map("two", "")).await;
    world.idle(std::time::Duration::from_secs(5)).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    for name in ["pre-reconcile-done", "post-reconcile-done"] {
        let component = world.component(name).await.unwrap();
        assert_ne!(component["status"]["state"], "Ready", "{name}");
        assert_ne!(component["status"]["state"], "Error", "{name}");
    }
    script.released.store(true, Ordering::SeqCst);
    for name in ["pre-reconcile-done", "post-reconcile-done"] {
        world.patch(&bundle(name, &[]), json!({ "metadata": { "annotations": { "again": "x" } } })).await;
        world.until_ready(name).await;
    }
}

// HOOK-1, OUT-1
#[tokio::test]
async fn a_component_is_not_ready_in_a_generation_for_which_a_hook_ended_the_pass() {
    let (world, script) = start().await;
    script.released.store(true, Ordering::SeqCst);
    let component = |value: &str| bundle("pre-reconcile-done", &[config_map("one", value)]);
    world.set(&component("a")).await;
    let ready = world.until_ready("pre-reconcile-done").await;
    script.released.store(false, Ordering::SeqCst);
    world.set(&component("b")).await;
    let restarting = |seen: &Value| seen["status"]["state"] == "Processing" && reason_of(seen) == "Restarting";
    let left = world.until("pre-reconcile-done", "restarting", restarting).await;
    assert_eq!(left["status"]["observedGeneration"], ready["status"]["observedGeneration"]);
    assert_ne!(left["status"]["observedGeneration"], left["metadata"]["generation"]);
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "a");
    script.released.store(true, Ordering::SeqCst);
    world.patch(&component("b"), json!({ "metadata": { "annotations": { "again": "x" } } })).await;
    world.until_ready("pre-reconcile-done").await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "b");
}

// WAIT-2
#[tokio::test]
async fn a_wait_lasts_one_to_five_percent_longer_than_asked_for() {
    let times: Arc<Mutex<Vec<std::time::Duration>>> = Arc::default();
    let mut world = World::new().await;
    let (noted, clock) = (Arc::clone(&times), world.cluster.clock().clone());
    world
        .run(move |builder| {
            builder.post_read(move |_: &ReadContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
                noted.lock().push(clock.moment().0);
                ready(Wait::after(Delay::secs::<1>(), reason!("NotYet")).into())
            })
        })
        .await;
    world.set(&bundle("demo", &[])).await;
    world.pass(std::time::Duration::from_secs(12)).await;
    let times = times.lock().clone();
    // The definition gives a new component a status after its creation, which may queue a second pass at once.
    let gaps: Vec<u128> = times[1..].windows(2).map(|pair| pair[1].checked_sub(pair[0]).unwrap().as_millis()).collect();
    assert!(gaps.len() >= 5, "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap >= 1010), "{gaps:?}");
    if world.cluster.is_embedded() {
        assert!(gaps.iter().all(|gap| *gap <= 1060), "{gaps:?}");
        assert!(gaps.iter().any(|gap| gap / 10 != gaps[0] / 10), "they do not move in step: {gaps:?}");
    }
}

// DEL-10
#[tokio::test]
async fn hooks_have_no_target_when_dependents_are_abandoned() {
    let seen: Arc<Mutex<Vec<bool>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let world = World::start_with(|builder| {
        builder.pre_delete(move |cx: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
            notes.lock().push(cx.target().is_some());
            ready(Ok(()))
        })
    })
    .await;
    for (name, abandoned) in [("plain", false), ("abandoned", true)] {
        let mut component = bundle(name, &[config_map(name, "a")]);
        if abandoned {
            component["metadata"]["annotations"] = json!({ format!("{}/abandon-dependents", OPERATOR): "true" });
        }
        world.set(&component).await;
        world.until_ready(name).await;
        world.delete(&component).await;
        world.until_gone(&component).await;
        assert_eq!(std::mem::take(&mut *seen.lock()), [!abandoned], "{name}");
    }
}

// OUT-1, EVT-1
#[tokio::test]
async fn credentials_in_the_error_of_a_hook_are_masked_in_status_and_events() {
    let world = World::start_with(|builder| {
        builder.pre_reconcile(|_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
            ready(Err(Failure::msg("GET https://user:hunter2@example.com/: refused Bearer eyJhbGciOi.x").into()))
        })
    })
    .await;
    world.set(&bundle("demo", &[])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let events = world.until_event("Error").await;
    for text in [message_of(&failed), &events] {
        assert!(text.contains("example.com") && !text.contains("hunter2") && !text.contains("eyJhbGci"), "{text}");
    }
}

// EVT-2
#[tokio::test]
async fn a_deletion_sends_each_event_once_while_a_hook_waits() {
    let rounds = Arc::new(Mutex::new(3));
    let left = Arc::clone(&rounds);
    let world = World::start_with(|builder| {
        builder.post_delete(move |_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
            let mut left = left.lock();
            if *left == 0 {
                return ready(Ok(()));
            }
            *left -= 1;
            ready(Wait::after(Delay::secs::<1>(), reason!("Halted")).message("halted here").into())
        })
    })
    .await;
    let name = format!("{}-kept", world.namespace());
    let mut one = config_map("one", "a");
    one["metadata"]["namespace"] = name.as_str().into();
    let mut demo = bundle("demo", &[one]);
    demo["metadata"]["annotations"] = json!({ format!("{}/abandon-dependents", OPERATOR): "true" });
    world.set(&demo).await;
    world.until_ready("demo").await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    for reason in ["DependentsAbandoned", "NamespacesKept"] {
        world.until_event(reason).await;
        let sent = world.journal().all().of("events.k8s.io", "events").writes();
        let of_reason = sent.filter(|record| record.body.as_ref().is_some_and(|body| body["reason"] == reason));
        let names: Vec<String> = of_reason
            .iter()
            .map(|record| record.body.as_ref().unwrap()["metadata"]["name"].as_str().unwrap_or_default().to_owned())
            .collect();
        let again = world
            .journal()
            .all()
            .of("events.k8s.io", "events")
            .filter(|record| record.target.resource().is_some_and(|at| names.contains(&at.name)));
        assert_eq!((names.len(), again.iter().count()), (1, 0), "{reason}");
    }
    world.delete(&json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })).await;
}

// PASS-11
#[tokio::test]
async fn a_hook_that_never_returns_is_one_failed_pass_and_others_are_served() {
    let released = Arc::new(AtomicBool::new(false));
    let is_free = Arc::clone(&released);
    let world = World::start_with(|builder| {
        builder.parallel_passes(1).pass_limit(std::time::Duration::from_secs(3)).pre_reconcile(
            move |_: &HookContext<Bundle>, component: &Bundle, _: &mut ComponentStatus| {
                let hangs = component.metadata.name.as_deref() == Some("hangs") && !is_free.load(Ordering::SeqCst);
                async move { if hangs { std::future::pending().await } else { Ok(()) } }
            },
        )
    })
    .await;
    world.set(&bundle("hangs", &[config_map("one", "a")])).await;
    world.set(&bundle("other", &[config_map("two", "a")])).await;
    world.until_ready("other").await;
    let hung = world.until("hangs", "in error", |component| component["status"]["state"] == "Error").await;
    assert_eq!(reason_of(&hung), "Error");
    assert_eq!(message_of(&hung), "the pass took longer than 3s (in the pre-reconcile hooks)");
    released.store(true, Ordering::SeqCst);
    world.until_ready("hangs").await;
}

// PASS-11: ten minutes pass only on a virtual clock.
#[tokio::test]
async fn without_another_limit_a_generator_that_never_returns_fails_after_ten_minutes() {
    let mut world = World::new().await;
    if !world.cluster.is_embedded() {
        return;
    }
    let calls = Arc::new(Mutex::new(0));
    let count = Arc::clone(&calls);
    let generator = move |_: &RenderContext<Bundle>| {
        let call = {
            let mut calls = count.lock();
            *calls += 1;
            *calls
        };
        async move { if call == 1 { std::future::pending().await } else { Ok(Vec::<Manifest>::new()) } }
    };
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(generator)).await;
    world.set(&bundle("demo", &[])).await;
    world.pass(std::time::Duration::from_secs(599)).await;
    assert_eq!(*calls.lock(), 1);
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert_eq!(message_of(&failed), "the pass took longer than 600s (in the generator)");
    world.until_ready("demo").await;
    assert_eq!(*calls.lock(), 2);
}

// HOOK-4
#[tokio::test]
async fn a_hook_emits_events_on_its_component_without_a_client() {
    let world = World::start_with(|builder| {
        builder
            .post_read(|cx: &ReadContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
                cx.event(Event::normal(reason!("Looked"), "the licence was looked at"));
                ready(Ok(()))
            })
            .pre_reconcile(|cx: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
                cx.event(Event::warning(reason!("LicenceExpires"), "the licence expires tomorrow"));
                ready(Ok(()))
            })
    })
    .await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    for (reason, kind, note) in
        [("Looked", "Normal", "the licence was looked at"), ("LicenceExpires", "Warning", "the licence expires tomorrow")]
    {
        world.until_told(reason, note).await;
        let events = world.all_events().await;
        let event = events.iter().find(|event| event["reason"] == reason).unwrap();
        assert_eq!((event["type"].as_str(), event["regarding"]["name"].as_str()), (Some(kind), Some("demo")));
        assert_eq!(event["reportingController"], OPERATOR);
    }
}
