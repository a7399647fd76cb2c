//! Every state with its reason and message (STA-10), as written by the operator.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use kubewright::core::reason;
use kubewright::prelude::*;

use crate::kinds::{HOLD, Kinds, held};
use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

/// The state, reason, status of the Ready condition, and message.
type Told = (String, String, String, String);

fn told_by(status: &Value) -> Told {
    let component = json!({ "status": status });
    let ready = condition(&component, "Ready").cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&status["state"]), text(&ready["reason"]), text(&ready["status"]), text(&ready["message"]))
}

/// Returns the reports of the operator about a component, oldest first, each once.
fn told(world: &World, name: &str) -> Vec<Told> {
    let records = world.journal().all().of("test.kubewright.dev", "bundles").subresource("status").named(name);
    let mut status = json!({});
    let mut all: Vec<Told> = Vec::new();
    for record in records.iter() {
        let Some(patch) = record.body.as_ref().and_then(|body| body["status"].as_object()) else { continue };
        for (field, value) in patch {
            status[field] = value.clone();
        }
        let next = told_by(&status);
        if all.last() != Some(&next) {
            all.push(next);
        }
    }
    all
}

#[track_caller]
fn expect(found: &[Told], expected: &[(&str, &str, &str, &str)]) {
    let found: Vec<(&str, &str, &str, &str)> =
        found.iter().map(|(state, reason, ready, message)| (&**state, &**reason, &**ready, &**message)).collect();
    assert_eq!(found, expected);
}

// STA-10, STA-2, PASS-6
#[tokio::test]
async fn an_installation_an_upgrade_and_a_suspension_use_the_words_of_the_specification() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    let waiting = "Reconcilation of dependent resources triggered; waiting until all dependent resources are ready";
    let messages = told(&world, "demo");
    let processing = messages[1].3.clone();
    assert!(processing.starts_with(&format!("{waiting}: ")) && processing.contains("foo"), "{processing}");
    let installed = [
        ("Pending", "FirstSeen", "Unknown", "First seen"),
        ("Processing", "Processing", "Unknown", &*processing),
        ("Ready", "Ready", "True", "Dependent resources successfully reconciled"),
    ];
    expect(&messages, &installed);
    let mut changed = kinds.component(&[kinds.foo()]);
    changed["spec"]["objects"][0]["spec"]["value"] = "b".into();
    world.set(&changed).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    changed["spec"]["suspend"] = true.into();
    world.set(&changed).await;
    world.until_state("demo", "Pending", "Suspended").await;
    let later = told(&world, "demo").split_off(installed.len());
    assert_eq!(later[0].3, "Restarting processing due to component changes");
    let short: Vec<(&str, &str, &str)> = later.iter().map(|(state, reason, ready, _)| (&**state, &**reason, &**ready)).collect();
    let expected = [
        ("Processing", "Restarting", "Unknown"),
        ("Processing", "Processing", "Unknown"),
        ("Ready", "Ready", "True"),
        ("Pending", "Suspended", "Unknown"),
    ];
    assert_eq!(short, expected);
    assert_eq!(later[3].3, "Reconciliation is suspended");
}

/// A hook that is controlled by a switch.
struct Switch(AtomicU8);

impl Switch {
    const WAITS: u8 = 1;
    const FAILS: u8 = 2;

    fn outcome(&self) -> Flow {
        match self.0.load(Ordering::SeqCst) {
            Self::WAITS => Wait::after(Delay::millis::<200>(), reason!("Held")).message("held by a hook").into(),
            Self::FAILS => Failure::after(Delay::millis::<200>(), "broken by a hook").into(),
            _ => Ok(()),
        }
    }
}

// STA-10, TIME-1, TIME-4, TIME-5
#[tokio::test]
async fn waits_errors_and_timeouts_use_the_words_of_the_specification() {
    let mut world = World::new().await;
    let switch = Arc::new(Switch(AtomicU8::new(Switch::FAILS)));
    let (hook, mut trigger) = (Arc::clone(&switch), None);
    world
        .run(|builder| {
            trigger = Some(builder.trigger());
            builder.pre_reconcile(move |_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
                std::future::ready(hook.outcome())
            })
        })
        .await;
    let trigger = trigger.unwrap();
    let kinds = Kinds::install(&world).await;
    let mut demo = kinds.component(&[kinds.foo()]);
    demo["spec"]["timeout"] = "3s".into();
    demo["spec"]["all"] = json!([{ "name": "a" }]);
    world.set(&demo).await;
    let missing = format!("spec.all[0]: error loading ConfigMap {}/a: not found", world.namespace());
    let is = |component: Value, expected: (&str, &str, &str, &str)| expect(&[told_by(&component["status"])], &[expected]);
    is(world.until_state("demo", "Pending", "Retrying").await, ("Pending", "Retrying", "Unknown", &missing));
    world.create(&config_map("a", "1")).await;
    is(world.until_state("demo", "Error", "Error").await, ("Error", "Error", "False", "broken by a hook"));
    switch.0.store(Switch::WAITS, Ordering::SeqCst);
    is(world.until_state("demo", "Pending", "Held").await, ("Pending", "Held", "Unknown", "held by a hook"));
    // The countdown does not run, because nothing was applied.
    world.pass(Duration::from_secs(4)).await;
    is(world.component("demo").await.unwrap(), ("Pending", "Held", "Unknown", "held by a hook"));
    switch.0.store(0, Ordering::SeqCst);
    world.until_state("demo", "Processing", "Processing").await;
    let late = world.until_state("demo", "Error", "Timeout").await;
    let text = message_of(&late);
    assert!(text.starts_with("Reconcilation of dependent resources timed out: ") && text.contains("foo"), "{text}");
    switch.0.store(Switch::WAITS, Ordering::SeqCst);
    trigger.queue(world.namespace(), "demo");
    is(world.until_state("demo", "Pending", "Timeout").await, ("Pending", "Timeout", "Unknown", "held by a hook"));
    switch.0.store(Switch::FAILS, Ordering::SeqCst);
    is(world.until_state("demo", "Error", "Timeout").await, ("Error", "Timeout", "False", "broken by a hook"));
    switch.0.store(0, Ordering::SeqCst);
    // A failed dependent is reported in place of the timeout.
    let stalled = json!({ "observedGeneration": 1, "conditions": [{ "type": "Stalled", "status": "True", "reason": "Test",
        "message": "out of luck", "lastTransitionTime": "2026-01-01T00:00:00Z" }] });
    world.patch_status(&kinds.foo(), stalled).await;
    let failed = world.until_state("demo", "Error", "DependentFailed").await;
    let expected = format!("Foo.{} {}/foo: out of luck", kinds.group(), world.namespace());
    is(failed.clone(), ("Error", "DependentFailed", "False", &expected));
    assert_eq!(condition(&failed, "Stalled").unwrap()["reason"], "DependentFailed");
    world.observe(&kinds.foo()).await;
    let ready = world.until_ready("demo").await;
    assert!(condition(&ready, "Stalled").is_none());
}

// STA-10, PASS-23, PASS-24
#[tokio::test]
async fn a_deletion_uses_the_words_of_the_specification() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let foo = held(kinds.foo());
    let mut demo = kinds.component(std::slice::from_ref(&foo));
    demo["spec"]["all"] = json!([{ "name": "a" }]);
    world.create(&config_map("a", "1")).await;
    world.set(&demo).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&foo).await;
    world.until_ready("demo").await;
    let is = |component: Value, expected: (&str, &str, &str, &str)| expect(&[told_by(&component["status"])], &[expected]);
    world.create(&kinds.bar()).await;
    let finalizer = json!([{ "op": "add", "path": "/metadata/finalizers/-", "value": HOLD }]);
    world.edit_as("other", &demo, finalizer).await;
    world.delete(&config_map("a", "")).await;
    world.until_state("demo", "Pending", "Retrying").await;
    world.delete(&demo).await;
    let missing = format!(
        "spec.all[0]: error loading ConfigMap {}/a: not found (if it is gone for good, annotate the object with \
         {OPERATOR}/abandon-dependents=true to leave its dependents)",
        world.namespace()
    );
    let waiting = world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    is(waiting, ("DeletionPending", "DeletionRetrying", "Unknown", &missing));
    world.create(&config_map("a", "1")).await;
    let used =
        format!("Deletion blocked: type Bar.{} is still in use (instances exist): {}/bar", kinds.group(), world.namespace());
    is(world.until_state("demo", "Deleting", "DeletionBlocked").await, ("Deleting", "DeletionBlocked", "Unknown", &used));
    world.delete(&kinds.bar()).await;
    let held_back = "Deletion blocked due to existing foreign finalizers";
    let blocked = world.until("demo", "held back", |component| message_of(component) == held_back).await;
    is(blocked, ("Deleting", "DeletionBlocked", "Unknown", held_back));
    world.patch(&bundle("demo", &[]), json!({ "metadata": { "finalizers": [OPERATOR] } })).await;
    let going = world.until_state("demo", "Deleting", "DeletionProcessing").await;
    let text = message_of(&going);
    let words = "Deletion of dependent resources triggered; waiting until dependent resources are deleted: ";
    assert!(text.starts_with(words) && text.contains("foo"), "{text}");
    world.finalize(&foo).await;
    world.until_gone(&demo).await;
}
