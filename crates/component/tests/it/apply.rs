//! Installation and upgrades, pass by pass.

use kubewright::prelude::*;

use crate::kinds::{Kinds, held, ordered, secret};
use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, is_unowned, item};

const OWNER: &str = "bundle-operator.test.kubewright.dev/owner-id";

fn names(persisted: &[(String, String)]) -> Vec<(&str, &str)> {
    persisted.iter().map(|(name, phase)| (&**name, &**phase)).collect()
}

// A1, MARK-1, PLAN-4
#[tokio::test]
async fn a_dependent_is_registered_then_created_with_owner_and_digest() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let component = world.until_ready("demo").await;
    assert_eq!(item(&component, "ConfigMap", "one"), Some(("Ready", "Current")));
    let persisted = world.persisted("demo");
    assert_eq!(names(&persisted[0]), [("one", "ScheduledForApplication")]);
    world
        .journal()
        .all()
        .in_order(
            |record| record.is_write() && record.to_string().contains("bundles") && record.to_string().contains("status"),
            |record| record.is_write() && record.to_string().contains("configmaps"),
        )
        .unwrap();
    let live = world.get(&config_map("one", "")).await.unwrap();
    let owner = live["metadata"]["annotations"][OWNER].as_str().unwrap();
    assert!(owner.ends_with(&format!("/{}/demo", world.namespace())), "{owner}");
    assert_eq!(live["metadata"]["labels"][OWNER].as_str().unwrap().len(), 52);
    let digest = &live["metadata"]["annotations"][format!("{OPERATOR}/digest")];
    assert_eq!(component["status"]["inventory"][0]["digest"], *digest);
    // The second pass: another program's label queues it, and it has nothing to do.
    world.until_event("Ready").await;
    world.idle(std::time::Duration::from_secs(1)).await;
    let mark = world.journal().mark();
    world.patch(&live, json!({ "metadata": { "labels": { "note": "x" } } })).await;
    world.idle(std::time::Duration::from_secs(30)).await;
    world.journal().since(mark).no_writes().unwrap();
}

// A2
#[tokio::test]
async fn a_component_is_ready_when_its_dependent_is() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_inventory("demo", "Processing", &[("foo", "Creating", "InProgress")]).await;
    world.idle(std::time::Duration::from_secs(2)).await;
    let mark = world.journal().mark();
    world.patch(&kinds.foo(), json!({ "metadata": { "labels": { "note": "x" } } })).await;
    world.idle(std::time::Duration::from_secs(30)).await;
    world.journal().since(mark).no_writes().unwrap();
    world.until_inventory("demo", "Processing", &[("foo", "Creating", "InProgress")]).await;
    world.observe(&kinds.foo()).await;
    world.until_inventory("demo", "Ready", &[("foo", "Ready", "Current")]).await;
}

// A3
#[tokio::test]
async fn purged_objects_go_at_the_end_of_their_wave_and_hold_back_the_next() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let map = ordered(config_map("map", "a"), "0", "", "1");
    let foo = ordered(held(kinds.foo()), "1", "", "1");
    let last = ordered(secret("secret"), "2", "", "");
    world.set(&kinds.component(&[map.clone(), foo.clone(), last.clone()])).await;
    let waiting =
        [("map", "Ready", "Current"), ("foo", "Creating", "InProgress"), ("secret", "ScheduledForApplication", "InProgress")];
    world.until_inventory("demo", "Processing", &waiting).await;
    world.observe(&foo).await;
    let purging =
        [("map", "Completed", ""), ("foo", "Completing", "Terminating"), ("secret", "ScheduledForApplication", "InProgress")];
    world.until_inventory("demo", "Processing", &purging).await;
    assert!(world.get(&map).await.is_none());
    let persisted = world.persisted("demo");
    let scheduled = persisted.iter().any(|items| {
        let phase = |wanted: &str| items.iter().find(|(name, _)| name == wanted).map(|(_, phase)| &**phase);
        phase("map") == Some("ScheduledForCompletion") && phase("foo") == Some("ScheduledForCompletion")
    });
    assert!(scheduled, "{persisted:#?}");
    world.finalize(&foo).await;
    let done = [("map", "Completed", ""), ("foo", "Completed", ""), ("secret", "Ready", "Current")];
    world.until_inventory("demo", "Ready", &done).await;
    world.idle(std::time::Duration::from_secs(2)).await;
    let mark = world.journal().mark();
    world.idle(std::time::Duration::from_secs(60)).await;
    world.journal().since(mark).no_writes().unwrap();
}

// A4
#[tokio::test]
async fn a_type_comes_before_its_instances_in_one_wave() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo(), kinds.bar(), kinds.baz(), kinds.crd()])).await;
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    let first = [
        ("foo", "Creating", "InProgress"),
        ("bar", "ScheduledForApplication", "InProgress"),
        ("baz", "ScheduledForApplication", "InProgress"),
        (&*crd, "Ready", "Current"),
    ];
    world.until_inventory("demo", "Processing", &first).await;
    world.observe(&kinds.foo()).await;
    let second = [
        ("foo", "Ready", "Current"),
        ("bar", "Creating", "InProgress"),
        ("baz", "Creating", "InProgress"),
        (&*crd, "Ready", "Current"),
    ];
    world.until_inventory("demo", "Processing", &second).await;
    world.observe(&kinds.bar()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
}

// A5
#[tokio::test]
async fn changed_manifests_are_written_and_unchanged_ones_are_not() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let foo = |name: &str, value: &str| {
        let mut foo = kinds.object("Foo", name);
        foo["spec"]["value"] = value.into();
        foo
    };
    world.set(&kinds.component(&[foo("one", "a"), foo("two", "a"), foo("three", "a")])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&foo("one", "")).await;
    world.observe(&foo("two", "")).await;
    let first = [("one", "Ready", "Current"), ("two", "Ready", "Current"), ("three", "Creating", "InProgress")];
    world.until_inventory("demo", "Processing", &first).await;
    let untouched = world.get(&foo("one", "")).await.unwrap();
    world.set(&kinds.component(&[foo("one", "a"), foo("two", "b"), foo("three", "b")])).await;
    let second = [("one", "Ready", "Current"), ("two", "Updating", "InProgress"), ("three", "Updating", "InProgress")];
    world.until_inventory("demo", "Processing", &second).await;
    world.observe(&foo("two", "")).await;
    world.observe(&foo("three", "")).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&foo("one", "")).await.unwrap(), untouched);
    for name in ["two", "three"] {
        assert_eq!(world.get(&foo(name, "")).await.unwrap()["spec"]["value"], "b");
    }
}

// A6
#[tokio::test]
async fn policy_recreate_gives_another_object_only_when_the_manifest_changes() {
    let world = World::start().await;
    let one = |value| annotated(annotated(config_map("one", value), "update-policy", "recreate"), "reapply-interval", "2s");
    let mut component = bundle("demo", &[one("a")]);
    component["spec"]["requeueInterval"] = "1s".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    let before = world.get(&one("")).await.unwrap();
    world.pass(std::time::Duration::from_secs(5)).await;
    assert_eq!(world.get(&one("")).await.unwrap()["metadata"]["uid"], before["metadata"]["uid"]);
    world.set(&bundle("demo", &[one("b")])).await;
    world.until_ready("demo").await;
    let after = world.get(&one("")).await.unwrap();
    assert_eq!(after["data"]["value"], "b");
    assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"]);
}

// A8, WAVE-6
#[tokio::test]
async fn policy_once_writes_once() {
    let world = World::start().await;
    let one = |value| annotated(config_map("one", value), "reconcile-policy", "once");
    world.set(&bundle("demo", &[one("a")])).await;
    world.until_ready("demo").await;
    world.set(&bundle("demo", &[one("b")])).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&one("")).await.unwrap()["data"]["value"], "a");
    // Edits stay; a deletion is repaired.
    world.patch(&one(""), json!({ "data": { "value": "c" } })).await;
    world.idle(std::time::Duration::from_secs(90)).await;
    assert_eq!(world.get(&one("")).await.unwrap()["data"]["value"], "c");
    world.delete(&one("")).await;
    assert_eq!(world.until_present(&one("")).await["data"]["value"], "b");
}

// A9
#[tokio::test]
async fn redundant_objects_are_deleted_or_orphaned_according_to_their_delete_policy() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let map = |name, policy| ordered(annotated(config_map(name, "a"), "delete-policy", policy), "", "2", "");
    let (c1, c2, c3) = (map("c1", "orphan"), map("c2", "orphan-on-apply"), map("c3", "orphan-on-delete"));
    let kept = ordered(secret("secret"), "", "1", "");
    let foo = held(kinds.foo());
    world.set(&kinds.component(&[c1.clone(), c2.clone(), c3.clone(), kept.clone(), foo.clone()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&foo).await;
    world.until_ready("demo").await;
    world.set(&kinds.component(&[kept])).await;
    let waiting = [
        ("c1", "ScheduledForDeletion", "Terminating"),
        ("c2", "ScheduledForDeletion", "Terminating"),
        ("c3", "ScheduledForDeletion", "Terminating"),
        ("foo", "Deleting", "Terminating"),
        ("secret", "Ready", "Current"),
    ];
    let component = world.until_inventory("demo", "Processing", &waiting).await;
    for item in component["status"]["inventory"].as_array().unwrap() {
        assert_eq!(item["digest"] == "", item["name"] != "secret", "{item}");
    }
    world.finalize(&foo).await;
    world.until_inventory("demo", "Ready", &[("secret", "Ready", "Current")]).await;
    assert!(world.get(&c3).await.is_none());
    for object in [&c1, &c2] {
        let live = world.get(object).await.unwrap();
        assert!(is_unowned(&live), "{live:#}");
    }
}

// A10
#[tokio::test]
async fn redundant_instances_go_before_their_type() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    install_all(&world, &kinds).await;
    world.set(&kinds.component(&[])).await;
    let first = [
        ("bar", "Deleting", "Terminating"),
        ("baz", "Deleting", "Terminating"),
        ("foo", "ScheduledForDeletion", "Terminating"),
        (&*crd, "ScheduledForDeletion", "Terminating"),
    ];
    world.until_inventory("demo", "Processing", &first).await;
    release_all(&world, &kinds).await;
    world.until_inventory("demo", "Ready", &[]).await;
    for object in [kinds.foo(), kinds.bar(), kinds.crd()] {
        assert!(world.get(&object).await.is_none());
    }
}

/// Installs a Foo, a Bar and a Baz, all held by a finalizer, and the CRD of Baz. All are ready.
pub(crate) async fn install_all(world: &World, kinds: &Kinds) {
    let instances = [kinds.foo(), kinds.bar(), kinds.baz()].map(held);
    let mut objects = instances.to_vec();
    objects.push(kinds.crd());
    world.set(&kinds.component(&objects)).await;
    for instance in &instances {
        world.until_present(instance).await;
        world.observe(instance).await;
    }
    world.until_ready("demo").await;
}

/// Releases the instances of [`install_all`]: Bar and Baz first, and Foo when at most the type of Baz can be left with it.
pub(crate) async fn release_all(world: &World, kinds: &Kinds) {
    for instance in [kinds.bar(), kinds.baz()] {
        world.finalize(&instance).await;
    }
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    let is_last = |component: &Value| {
        let left = crate::world::inventory(component);
        left == [("foo", "Deleting", "Terminating")]
            || left == [(&*crd, "Deleting", "Terminating"), ("foo", "Deleting", "Terminating")]
    };
    world.until("demo", "left with the last objects", is_last).await;
    world.finalize(&kinds.foo()).await;
}

// ORD-1, WAVE-2
#[tokio::test]
async fn a_wave_is_sent_in_the_order_of_its_kinds() {
    let world = World::start().await;
    let own = |name: &str| format!("{}-{name}", world.namespace());
    let group = format!("{}.example.com", world.namespace());
    let objects = [
        json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": own("hooks") } }),
        crate::types::deployment("web"),
        config_map("map", "a"),
        json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": own("role") } }),
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": own("space") } }),
        crate::kinds::api_service(&group, "v1"),
    ];
    world.set(&bundle("demo", &objects)).await;
    world.until_ready("demo").await;
    let records = world.journal().all().verb(kubewright_middleware::Verb::Create);
    let resources: Vec<_> = records
        .iter()
        .filter_map(|record| record.target.resource())
        .map(|target| &*target.resource)
        .filter(|resource| !["events", "selfsubjectaccessreviews"].contains(resource))
        .collect();
    let expected = ["namespaces", "clusterroles", "configmaps", "deployments", "validatingwebhookconfigurations", "apiservices"];
    assert_eq!(resources, expected);
    let deployed = world.get(&crate::types::deployment("web")).await.unwrap();
    assert_eq!(deployed["status"]["readyReplicas"], 1);
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// WAVE-1
#[tokio::test]
async fn waves_wait_for_each_other() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let later = annotated(config_map("later", "a"), "apply-order", "1");
    world.set(&kinds.component(&[later.clone(), kinds.foo()])).await;
    let waiting = [("foo", "Creating", "InProgress"), ("later", "ScheduledForApplication", "InProgress")];
    world.until_inventory("demo", "Processing", &waiting).await;
    assert!(world.get(&later).await.is_none());
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
}
