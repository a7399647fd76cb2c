use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::types::{bundle, config_map};
use crate::world::{OPERATOR, World};

/// Returns a component that refers to all of these ConfigMaps.
fn referring(names: &[&str]) -> Value {
    let mut component = bundle("demo", &[]);
    component["spec"]["all"] = names.iter().map(|name| json!({ "name": name })).collect();
    component
}

fn secret(name: &str, data: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "data": data })
}

fn message(component: &Value) -> String {
    crate::world::condition(component, "Ready")
        .map(|ready| ready["message"].as_str().unwrap_or_default().to_owned())
        .unwrap_or_default()
}

async fn copy(world: &World) -> Value {
    world.get(&config_map("copy", "")).await.unwrap()["data"].clone()
}

/// Waits until the copy has this data. In virtual time that is half a second, because the copy must be made at once.
async fn until_copied(world: &World, data: Value) {
    if world.cluster.is_embedded() {
        world.pass(Duration::from_millis(500)).await;
        assert_eq!(copy(world).await, data);
    } else {
        world.until_object(&config_map("copy", ""), &format!("made of {data}"), |copy| copy["data"] == data).await;
    }
}

// REF-5
#[tokio::test]
async fn a_component_waits_for_missing_references_and_continues_once_they_exist() {
    let world = World::start().await;
    world.set(&referring(&["a", "b"])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert_eq!(
        message(&waiting),
        format!(
            "spec.all[0]: error loading ConfigMap {0}/a: not found; spec.all[1]: error loading ConfigMap {0}/b: not found",
            world.namespace()
        )
    );
    world.create(&config_map("a", "1")).await;
    world.create(&config_map("b", "2")).await;
    until_copied(&world, json!({ "a.value": "1", "b.value": "2" })).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(ready["status"]["revision"], 1);
}

// REF-1, REF-6, REF-11
#[tokio::test]
async fn a_change_of_a_secret_deep_in_the_spec_is_rendered_at_once() {
    let world = World::start().await;
    let password = secret("login", json!({ "password": "b2xk", "user": "bWU=" }));
    world.create(&password).await;
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    world.until_ready("demo").await;
    assert_eq!(copy(&world).await, json!({ "x": "old" }));
    world.patch(&password, json!({ "data": { "password": "bmV3" } })).await;
    until_copied(&world, json!({ "x": "new" })).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    // Another key of the same object is not relevant.
    world.patch(&password, json!({ "data": { "user": "eW91" } })).await;
    world.idle(Duration::from_secs(10)).await;
    assert_eq!(world.component("demo").await.unwrap()["status"]["revision"], 2);
}

// REF-3, REF-4, REF-5
#[tokio::test]
async fn fallback_keys_are_tried_and_a_lenient_reference_does_not_hold_back_deletion() {
    let world = World::start().await;
    let source = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "source" }, "data": { "second": "2" } });
    world.create(&source).await;
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "lenient": { "name": "source" } });
    world.set(&component).await;
    world.until_ready("demo").await;
    assert_eq!(copy(&world).await, json!({ "lenient": "2" }));
    world.delete(&source).await;
    world.until_state("demo", "Pending", "Retrying").await;
    world.delete(&component).await;
    world.until_gone(&component).await;
}

// REF-5
#[tokio::test]
async fn a_missing_object_holds_back_deletion_until_it_is_there() {
    let world = World::start().await;
    let component = referring(&["a"]);
    world.create(&config_map("a", "1")).await;
    world.set(&component).await;
    world.until_ready("demo").await;
    world.delete(&config_map("a", "")).await;
    world.delete(&component).await;
    let waiting = world.until("demo", "waiting", |component| component["status"]["state"] == "DeletionPending").await;
    let expected = format!(
        "spec.all[0]: error loading ConfigMap {}/a: not found (if it is gone for good, annotate the object with \
         {OPERATOR}/abandon-dependents=true to leave its dependents)",
        world.namespace()
    );
    assert_eq!(message(&waiting), expected);
    world.create(&config_map("a", "1")).await;
    world.until_gone(&component).await;
}

// REF-5
#[tokio::test]
async fn a_secret_without_the_referenced_key_is_reported_at_once_with_its_existing_keys() {
    let world = World::start().await;
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    let path = "spec.nested.secretValues.x";
    let missing = format!("{path}: error loading Secret {}/login: not found", world.namespace());
    world.until("demo", "waiting for the secret", |component| message(component) == missing).await;
    // Other messages are recorded at most every 5 s.
    world.pass(Duration::from_secs(6)).await;
    world.create(&secret("login", json!({ "user": "YQ==", "pass": "YQ==" }))).await;
    let told = format!("{path}: key password not found in Secret {}/login (its keys: pass, user)", world.namespace());
    if world.cluster.is_embedded() {
        world.pass(Duration::from_millis(500)).await;
        assert_eq!(message(&world.component("demo").await.unwrap()), told);
    }
    world.until("demo", "waiting for the key", |component| message(component) == told).await;
    world.patch(&secret("login", json!({})), json!({ "data": { "password": "YQ==" } })).await;
    if world.cluster.is_embedded() {
        world.pass(Duration::from_millis(500)).await;
        assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
    }
    world.until_ready("demo").await;
}

/// Removes the namespace of a component with this object, which was Ready and has lost the ConfigMap that it refers to. Returns the namespace
/// when the component is gone.
async fn remove_with_a_lost_reference(world: &World, object: Value) -> Value {
    let mut component = referring(&["a"]);
    component["spec"]["objects"] = json!([object]);
    world.create(&config_map("a", "1")).await;
    world.set(&component).await;
    world.until_ready("demo").await;
    // Events of two kinds arrive in any order, so the operator must learn of the deleted object before the component is deleted.
    world.delete(&config_map("a", "")).await;
    world.until_state("demo", "Pending", "Retrying").await;
    let namespace = world.own_namespace();
    world.delete(&namespace).await;
    world.until_gone(&component).await;
    namespace
}

// REF-4
#[tokio::test]
async fn a_namespace_is_deleted_although_a_reference_of_its_component_is_gone() {
    let world = World::start().await;
    let namespace = remove_with_a_lost_reference(&world, config_map("one", "1")).await;
    world.until_gone(&namespace).await;
}

// REF-4, DEL-5
#[tokio::test]
async fn a_namespace_deletion_skips_the_deletion_hooks_of_a_component_whose_references_are_gone() {
    let world = World::start().await;
    let hook = crate::types::annotated(config_map("last", "1"), "lifecycle", "pre-delete");
    let namespace = remove_with_a_lost_reference(&world, hook).await;
    let told = world.until_event_about(&namespace, "DeletionHooksSkipped").await;
    assert!(told.starts_with("1 objects of deletion stages are not applied"), "{told}");
}

// REF-2
#[tokio::test]
async fn more_than_sixteen_names_share_one_watch() {
    let world = World::start().await;
    let names: Vec<String> = (0..20).map(|n| format!("map-{n}")).collect();
    for name in &names {
        world.create(&config_map(name, "a")).await;
    }
    world.create(&config_map("late", "a")).await;
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mark = world.journal().mark();
    world.set(&referring(&names)).await;
    world.until_ready("demo").await;
    let reads = |verb: Verb| {
        let records = world.journal().since(mark);
        let named =
            records.filter(|record| record.target.resource().is_some_and(|at| at.resource == "configmaps" && at.verb == verb));
        named.iter().count()
    };
    // One watch is for the references, one for the dependents.
    assert!(reads(Verb::Watch) <= 2 && reads(Verb::Get) == 0, "{} watches, {} reads", reads(Verb::Watch), reads(Verb::Get));
    // A name that is added later was not kept when it was listed.
    names.push("late");
    world.set(&referring(&names)).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    assert_eq!(reads(Verb::Get), 1);
    world.patch(&config_map("late", ""), json!({ "data": { "value": "b" } })).await;
    let mut data = copy(&world).await;
    data["late.value"] = "b".into();
    until_copied(&world, data).await;
}

// REF-2
#[tokio::test]
async fn objects_that_are_no_longer_referred_to_are_no_longer_watched() {
    let world = World::start().await;
    world.create(&config_map("a", "1")).await;
    world.set(&referring(&["a"])).await;
    world.until_ready("demo").await;
    world.set(&referring(&[])).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(120)).await;
    let mark = world.journal().mark();
    world.patch(&config_map("a", ""), json!({ "data": { "value": "2" } })).await;
    world.idle(Duration::from_mins(15)).await;
    let records = world.journal().since(mark);
    let named = records.filter(|record| record.target.resource().is_some_and(|at| at.resource == "configmaps"));
    assert!(named.iter().next().is_none());
    assert_eq!(world.component("demo").await.unwrap()["status"]["revision"], 2);
}

// REF-2, REF-5
#[tokio::test]
async fn a_referenced_object_that_may_not_be_watched_is_read_in_each_pass() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Watch] {
        world.faults().on(verb).of("", "secrets").forbidden();
    }
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    world.until_state("demo", "Pending", "Retrying").await;
    world.create(&secret("login", json!({ "password": "b2xk" }))).await;
    world.pass(Duration::from_secs(11)).await;
    world.until_ready("demo").await;
    assert_eq!(copy(&world).await, json!({ "x": "old" }));
}

// REF-2, OUT-3
#[tokio::test]
async fn a_reference_that_may_not_be_read_is_an_error_that_names_the_field() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Watch, Verb::Get] {
        world.faults().on(verb).of("", "secrets").forbidden();
    }
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let expected = format!("spec.nested.secretValues.x: error loading Secret {}/login: ", world.namespace());
    assert!(message(&failed).starts_with(&expected), "{}", message(&failed));
    world.faults().clear();
    world.create(&secret("login", json!({ "password": "b2xk" }))).await;
    world.until_ready("demo").await;
}

/// Returns a component with these licences under `x`, and one of its own under `last`.
fn licensed(names: &[&str], last: Option<&str>) -> Value {
    let licence = |name: &&str| json!({ "fromMap": name });
    let mut nested = json!({ "licences": { "x": names.iter().map(licence).collect::<Vec<_>>() } });
    if let Some(last) = last {
        nested["last"] = licence(&last);
    }
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = nested;
    component
}

// REF-7, REF-9
#[tokio::test]
async fn a_reference_of_its_own_kind_is_loaded_once_per_pass_and_is_a_part_of_the_digest() {
    let mut world = World::new().await;
    let mut trigger = None;
    world
        .run(|builder| {
            trigger = Some(builder.trigger());
            builder
        })
        .await;
    world.create(&config_map("a", "1")).await;
    let empty = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" } });
    world.create(&empty).await;
    let mark = world.journal().mark();
    world.set(&licensed(&["a", "b", "a"], Some("a"))).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(ready["status"]["revision"], 1);
    assert_eq!(copy(&world).await, json!({ "licences.x": "1,none,1", "last": "1" }));
    // Three references to one object cause one read. A pass that ends with one write of the status reads each object once.
    let reads = world.journal().since(mark).verb(Verb::Get).of("", "configmaps");
    let passes = world.journal().since(mark).of("test.kubewright.dev", "bundles").writes().iter().count();
    let of_a = reads.named("a").iter().count();
    assert!(of_a >= 1 && of_a <= passes, "{of_a} reads, {passes} writes of the component");
    // The object is not watched; a program that knows of a change triggers a pass.
    world.patch(&config_map("a", ""), json!({ "data": { "value": "2" } })).await;
    trigger.unwrap().queue(world.namespace(), "demo");
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    assert_eq!(copy(&world).await, json!({ "licences.x": "2,none,2", "last": "2" }));
}

// REF-7, OUT-1, REF-4
#[tokio::test]
async fn a_reference_that_halts_ends_the_pass_and_the_message_names_its_path() {
    let world = World::start().await;
    let component = licensed(&["a"], Some("b"));
    world.create(&config_map("b", "1")).await;
    world.set(&component).await;
    let waiting = world.until_state("demo", "Pending", "LicenceMissing").await;
    assert_eq!(message(&waiting), "spec.nested.licences.x[0]: no licence a");
    world.create(&config_map("a", "revoked")).await;
    let blocked = world.until_state("demo", "Error", "LicenceRevoked").await;
    assert!(message(&blocked).contains("spec.nested.licences.x[0]") || message(&blocked).contains("spec.nested.licences.x[0]"));
    assert!(message(&blocked).contains("the licence a is revoked"), "{}", message(&blocked));
    assert_eq!(crate::world::condition(&blocked, "Stalled").unwrap()["reason"], "LicenceRevoked");
    let again = |n: u32| json!({ "metadata": { "annotations": { "try": n.to_string() } } });
    world.patch(&config_map("a", ""), json!({ "data": { "value": "1" } })).await;
    world.patch(&component, again(1)).await;
    world.until_ready("demo").await;
    // A wait does not hold back the deletion if the field has `ignore_on_deletion`; a block does.
    world.patch(&config_map("a", ""), json!({ "data": { "value": "revoked" } })).await;
    world.delete(&config_map("b", "")).await;
    world.delete(&component).await;
    world.until_state("demo", "Error", "LicenceRevoked").await;
    world.patch(&config_map("a", ""), json!({ "data": { "value": "1" } })).await;
    world.patch(&component, again(2)).await;
    world.until_gone(&component).await;
}

// OUT-2
#[tokio::test]
async fn a_failed_reference_outweighs_a_blocked_reference_and_both_are_reported() {
    let world = World::start().await;
    drop(world.faults().on(Verb::Get).of("", "secrets").forbidden());
    drop(world.faults().on(Verb::List).of("", "secrets").forbidden());
    drop(world.faults().on(Verb::Watch).of("", "secrets").forbidden());
    world.create(&config_map("a", "revoked")).await;
    let mut component = licensed(&["a"], None);
    component["spec"]["nested"]["secretValues"] = json!({ "x": { "name": "login", "key": "password" } });
    world.set(&component).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let told = message(&failed);
    assert!(told.contains("error loading Secret") && told.contains("the licence a is revoked"), "{told}");
}

// REF-2, TRG-2
#[tokio::test]
async fn a_change_during_the_switch_from_single_watches_to_one_watch_is_not_missed() {
    let world = World::start().await;
    let names = |of: &str| (0..10).map(|n| format!("{of}-{n}")).collect::<Vec<_>>();
    for name in names("a").iter().chain(&names("b")) {
        world.create(&config_map(name, "1")).await;
    }
    let few = |names: &[String]| referring(&names.iter().map(String::as_str).collect::<Vec<_>>());
    world.set(&few(&names("a"))).await;
    world.until_ready("demo").await;
    let mut other = few(&names("b"));
    other["metadata"]["name"] = "other".into();
    let late = world.faults().on(Verb::List).of("", "configmaps").times(1).delay(Duration::from_secs(3));
    world.set(&other).await;
    world.until_true("the config maps are listed", || late.hits() > 0).await;
    world.pass(Duration::from_millis(100)).await;
    world.patch(&config_map("a-0", ""), json!({ "data": { "value": "2" } })).await;
    let seen = |copy: &Value| copy["data"]["a-0.value"] == "2";
    world.until_object(&config_map("copy", ""), "made of the new value", seen).await;
}
