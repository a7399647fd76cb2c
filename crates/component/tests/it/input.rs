//! Invalid input: one clear error that names object, field and remedy, and no loss of installed objects.

use kubewright::prelude::*;

use crate::kinds::{Kinds, ordered};
use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

/// Upgrades a component to a set of manifests with one mistake, and returns the message after the usual checks.
async fn refused(world: &World, bad: &[Value]) -> String {
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let before = world.get(&config_map("one", "")).await.unwrap();
    let mark = world.journal().mark();
    let mut objects = vec![config_map("one", "b")];
    objects.extend_from_slice(bad);
    world.set(&bundle("demo", &objects)).await;
    let component = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(component["status"]["state"], "Error");
    assert_eq!(condition(&component, "Stalled").unwrap()["reason"], "InvalidManifest");
    let message = message_of(&component).to_owned();
    world.until_told(condition(&component, "Ready").unwrap()["reason"].as_str().unwrap(), &message).await;
    world.idle(std::time::Duration::from_secs(60)).await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap(), before, "what is installed stays");
    assert_eq!(world.component("demo").await.unwrap()["status"]["inventory"].as_array().unwrap().len(), 1);
    let writes = world.journal().since(mark).writes();
    writes.of("", "configmaps").exactly(0).unwrap();
    // The mistake is corrected.
    world.set(&bundle("demo", &[config_map("one", "b")])).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "b");
    message
}

#[track_caller]
fn names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

// PREP-1
#[tokio::test]
async fn a_manifest_without_kind_is_named_by_its_position() {
    let world = World::start().await;
    let message = refused(&world, &[json!({ "apiVersion": "v1", "metadata": { "name": "two" } })]).await;
    names(&message, &["two", "kind"]);
}

// MARK-2, OUT-4
#[tokio::test]
async fn an_invalid_annotation_value_is_reported_with_the_allowed_values() {
    let world = World::start().await;
    let message = refused(&world, &[annotated(config_map("two", "a"), "update-policy", "sometimes")]).await;
    names(&message, &["ConfigMap", "two", "update-policy", "sometimes", "allowed: ", "recreate"]);
}

// MARK-2
#[tokio::test]
async fn a_bad_order_is_named_with_its_range() {
    let world = World::start().await;
    let message = refused(&world, &[annotated(config_map("two", "a"), "apply-order", "first")]).await;
    names(&message, &["ConfigMap", "two", "apply-order", "first", "32767"]);
}

// MARK-2
#[tokio::test]
async fn a_misspelt_annotation_of_the_operator_is_named_with_the_nearest_known_one() {
    let world = World::start().await;
    let message = refused(&world, &[annotated(config_map("two", "a"), "aply-order", "1")]).await;
    let (unknown, nearest) = (format!("{OPERATOR}/aply-order"), format!("{OPERATOR}/apply-order"));
    names(&message, &["ConfigMap", "/two", "unknown annotation", &unknown, &nearest]);
}

// PASS-4
#[tokio::test]
async fn the_revision_counts_rendered_object_sets_and_not_refused_ones() {
    let world = World::start().await;
    let revision = |component: &Value| component["status"]["revision"].as_i64();
    let wrong = annotated(config_map("one", "a"), "apply-order", "first");
    world.set(&bundle("demo", std::slice::from_ref(&wrong))).await;
    let stalled = |component: &Value| crate::world::is_seen(component) && condition(component, "Stalled").is_some();
    assert_eq!(revision(&world.until("demo", "stalled", stalled).await), None);
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    assert_eq!(revision(&world.until_ready("demo").await), Some(1));
    for _ in 0..2 {
        world.set(&bundle("demo", &[wrong.clone(), config_map("two", "a")])).await;
        assert_eq!(revision(&world.until("demo", "stalled", stalled).await), Some(1));
        world.set(&bundle("demo", std::slice::from_ref(&wrong))).await;
        assert_eq!(revision(&world.until("demo", "stalled", stalled).await), Some(1));
    }
    world.set(&bundle("demo", &[config_map("one", "b")])).await;
    assert_eq!(revision(&world.until_ready("demo").await), Some(2));
}

// PREP-8
#[tokio::test]
async fn a_duplicate_is_named() {
    let world = World::start().await;
    let message = refused(&world, &[config_map("two", "a"), config_map("two", "b")]).await;
    names(&message, &["duplicate object ConfigMap", "/two", "manifests 2 and 3"]);
}

// PREP-7
#[tokio::test]
async fn an_unknown_kind_is_named() {
    let world = World::start().await;
    let unknown = json!({ "apiVersion": "nowhere.example.com/v1", "kind": "Nothing", "metadata": { "name": "two" } });
    let message = refused(&world, &[unknown]).await;
    names(&message, &["Nothing", "nowhere.example.com"]);
}

// VAL-1
#[tokio::test]
async fn an_instance_ordered_before_its_type_is_named() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let objects = [ordered(kinds.crd(), "2", "", ""), ordered(kinds.baz(), "1", "", "")];
    let message = refused(&world, &objects).await;
    names(
        &message,
        &["rror validating object set", "Baz", "baz", "must not have an apply order lesser than the one of its type"],
    );
    assert!(world.get(&kinds.crd()).await.is_none());
}

// VAL-1
#[tokio::test]
async fn a_type_deleted_before_its_instances_is_named() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let objects = [ordered(kinds.crd(), "", "1", ""), ordered(kinds.baz(), "", "2", "")];
    let message = refused(&world, &objects).await;
    names(&message, &["Baz", "must not have a delete order greater than the one of its type"]);
}

// PREP-7
#[tokio::test]
async fn a_namespace_on_a_cluster_scoped_object_is_dropped() {
    let world = World::start().await;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": format!("{}-role", world.namespace()), "namespace": "elsewhere" },
    });
    world.set(&bundle("demo", std::slice::from_ref(&role))).await;
    let component = world.until_ready("demo").await;
    assert!(component["status"]["inventory"][0].get("namespace").is_none());
    let note = world.until_event("NamespaceIgnored").await;
    names(&note, &["ClusterRole", role["metadata"]["name"].as_str().unwrap(), "(namespace elsewhere)"]);
    let bare =
        json!({ "apiVersion": role["apiVersion"], "kind": "ClusterRole", "metadata": { "name": role["metadata"]["name"] } });
    assert!(world.get(&bare).await.is_some());
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&bare).await.is_none());
}

// COM-1
#[tokio::test]
async fn a_namespaced_object_of_a_cluster_scoped_component_needs_a_namespace() {
    let mut world = World::new().await;
    world.run_sites().await;
    let site = |objects: &[Value]| {
        json!({
            "apiVersion": "test.kubewright.dev/v1", "kind": "Site",
            "metadata": { "name": format!("site-{}", world.namespace()) }, "spec": { "objects": objects },
        })
    };
    world.set(&site(&[config_map("one", "a")])).await;
    let stalled = |site: &Value| condition(site, "Stalled").is_some();
    let refused = world.until_object(&site(&[]), "stalled", stalled).await;
    names(message_of(&refused), &["ConfigMap", "one", "namespace"]);
    let mut placed = config_map("one", "a");
    placed["metadata"]["namespace"] = world.namespace().into();
    world.set(&site(&[placed.clone()])).await;
    world.until_object(&site(&[]), "ready", |site| site["status"]["state"] == "Ready").await;
    assert!(world.get(&placed).await.is_some());
    world.delete(&site(&[])).await;
    world.until_gone(&site(&[])).await;
}

// VAL-2
#[tokio::test]
async fn an_object_ordered_against_its_namespace_is_named() {
    let world = World::start().await;
    let name = format!("{}-own", world.namespace());
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": &name } });
    let mut inside = config_map("inside", "a");
    inside["metadata"]["namespace"] = name.clone().into();
    let rules = [
        (("2", "", ""), ("1", "", ""), "namespaced object must not have an apply order lesser than the one of its namespace"),
        (("", "1", ""), ("", "2", ""), "namespaced object must not have a delete order greater than the one of its namespace"),
    ];
    for (of_namespace, of_object, expected) in rules {
        let objects = [
            ordered(namespace.clone(), of_namespace.0, of_namespace.1, of_namespace.2),
            ordered(inside.clone(), of_object.0, of_object.1, of_object.2),
        ];
        let message = refused(&world, &objects).await;
        let key = format!("rror validating object set (ConfigMap {name}/inside): ");
        names(&message, &[&key, expected]);
        assert!(world.get(&namespace).await.is_none());
    }
}

// VAL-1, VAL-2
#[tokio::test]
async fn the_removal_of_a_namespace_or_type_whose_objects_stay_is_refused_and_deletes_nothing() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let name = format!("{}-own", world.namespace());
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": &name } });
    let mut inside = config_map("inside", "a");
    inside["metadata"]["namespace"] = name.into();
    world.set(&bundle("demo", &[kinds.crd(), kinds.baz(), namespace.clone(), inside.clone()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.until_present(&kinds.baz()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
    for (left_out, expected) in [
        (&namespace, "namespaced object is not being deleted, but the namespace is"),
        (&kinds.crd(), "managed instance is not being deleted, but the managing type is"),
    ] {
        let all = [kinds.crd(), kinds.baz(), namespace.clone(), inside.clone()];
        let kept: Vec<Value> = all.into_iter().filter(|object| object["kind"] != left_out["kind"]).collect();
        let mark = world.journal().mark();
        world.set(&bundle("demo", &kept)).await;
        let stalled = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
        assert_eq!(condition(&stalled, "Stalled").unwrap()["reason"], "InvalidManifest");
        names(message_of(&stalled), &["rror validating object set", expected]);
        let deletions = world.journal().since(mark).verb(kubewright_middleware::Verb::Delete);
        assert_eq!(deletions.iter().count(), 0);
        world.set(&bundle("demo", &[kinds.crd(), kinds.baz(), namespace.clone(), inside.clone()])).await;
        world.until_ready("demo").await;
    }
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&kinds.crd()).await;
}

// PREP-2, PREP-3, PREP-9, PREP-10, VAL-3
#[tokio::test]
async fn invalid_dependents_are_refused_with_the_reason() {
    let world = World::start().await;
    let own = format!("{}-own", world.namespace());
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": &own } });
    let mut generated = config_map("two", "a");
    generated["metadata"]["generateName"] = "two-".into();
    let mut numeric = config_map("two", "a");
    numeric["metadata"]["labels"] = json!({ "number": 1 });
    let mut late = annotated(config_map("two", "a"), "lifecycle", "post-delete");
    late["metadata"]["namespace"] = own.clone().into();
    let key = format!("ConfigMap {}/two", world.namespace());
    let rows: [(Vec<Value>, Vec<&str>); 4] = [
        (vec![generated], vec!["specifies metadata.generateName (but dependent objects are not allowed to do so)", "ConfigMap"]),
        (vec![numeric], vec!["labels", "number", "two"]),
        (vec![ordered(namespace.clone(), "", "", "1")], vec!["namespaces must not define a purge order"]),
        (vec![namespace, late], vec!["two", &own]),
    ];
    for (objects, parts) in rows {
        let message = refused(&world, &objects).await;
        names(&message, &parts);
    }
    // Two objects of one key, with the namespace given in different ways.
    let mut same = config_map("two", "b");
    same["metadata"]["namespace"] = world.namespace().into();
    let message = refused(&world, &[config_map("two", "a"), same]).await;
    names(&message, &[&format!("uplicate object {key}")]);
}

// PREP-1
#[tokio::test]
async fn lists_may_stand_in_lists() {
    let world = World::start().await;
    let list = |items: Vec<Value>| json!({ "apiVersion": "v1", "kind": "List", "items": items });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "one" }, "rules": [],
    });
    world.set(&bundle("demo", &[list(vec![list(vec![role.clone()])])])).await;
    world.until_ready("demo").await;
    assert!(world.get(&role).await.is_some());
}
