use kubewright_machinery::object::ObjectExt;
use serde_json::json;

use super::super::*;
use super::world::{Annotate, World, definition, object};

// PREP-7
#[test]
fn namespaces_follow_the_scope_of_the_type() {
    let world = World::new();
    let mut bare = object("ConfigMap", "c");
    bare.metadata_mut().remove("namespace");
    let placed = object("Namespace", "n").within("demo");
    let desired = world.prepare(&[bare, placed, object("Baz", "baz"), definition()]).unwrap();
    let namespaces: Vec<&str> = desired.objects().iter().map(|object| object.key.namespace.as_str()).collect();
    assert_eq!(namespaces, ["demo", "", "demo", ""]);
}

// PREP-7
#[test]
fn an_unknown_kind_is_an_error_unless_an_api_service_brings_it() {
    let world = World::new();
    let unknown = json!({"apiVersion": "x.example.com/v1", "kind": "Unknown", "metadata": {"name": "u"}});
    let error = world.prepare(std::slice::from_ref(&unknown)).unwrap_err().to_string();
    assert!(error.contains("no match for kind \"Unknown\" in version \"x.example.com/v1\""), "{error}");
    let service = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.x.example.com"}, "spec": {"group": "x.example.com", "version": "v1"}});
    assert!(world.prepare(&[unknown, service]).is_ok());
}

// PREP-8, PREP-9, MARK-2
#[test]
fn all_mistakes_are_reported_together() {
    let world = World::new();
    let set = [
        object("ConfigMap", "c"),
        object("ConfigMap", "c").with("apply-order", "x"),
        object("Namespace", "n").with("purge-order", "1"),
        definition().with("purge-order", "1"),
    ];
    let errors = world.prepare(&set).unwrap_err();
    let texts: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "object ConfigMap demo/c: invalid value for annotation op.example.com/apply-order: \"x\" (allowed: an integer from -32768 to 32767)",
            "duplicate object ConfigMap demo/c (manifests 1 and 2)",
            "object Namespace n: namespaces must not define a purge order",
            "object CustomResourceDefinition.apiextensions.k8s.io bazs.testing.kubewright.dev: custom resource definitions must not define a purge order",
        ]
    );
}

// MARK-2
#[test]
fn an_unknown_annotation_of_the_operator_is_refused_with_the_nearest_known_one() {
    let world = World::new();
    let set = [object("ConfigMap", "c").with("aply-order", "1"), object("ConfigMap", "d").with("disable-events", "true")];
    let errors = world.prepare(&set).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "object ConfigMap demo/c: unknown annotation op.example.com/aply-order (the nearest known one is \
         op.example.com/apply-order; use another prefix for annotations of your own)"
    );
}

// PREP-7
#[test]
fn a_namespace_on_a_cluster_scoped_object_is_named() {
    let world = World::new();
    assert_eq!(world.prepare(&[object("Namespace", "n")]).unwrap().misplaced(), None);
    let mut role = object("Namespace", "n");
    role["kind"] = "ClusterRole".into();
    role["apiVersion"] = "rbac.authorization.k8s.io/v1".into();
    role["metadata"]["namespace"] = "demo".into();
    let desired = world.prepare(&[role]).unwrap();
    assert_eq!(desired.objects()[0].key.namespace, "");
    let note = desired.misplaced().unwrap();
    assert_eq!((note.reason(), note.is_warning()), ("NamespaceIgnored", true));
    assert!(note.message().ends_with("ClusterRole.rbac.authorization.k8s.io n (namespace demo)"), "{}", note.message());
}

// PREP-8, DEL-5
#[test]
fn deletion_stage_objects_are_kept_apart() {
    let world = World::new();
    let set = [object("ConfigMap", "c"), object("ConfigMap", "c").with("lifecycle", "pre-delete")];
    let desired = world.prepare(&set).unwrap();
    assert_eq!((desired.objects().len(), desired.deletion_stage().len()), (1, 1));
    assert!(desired.deletion_stage()[0].digest.ends_with("@pre-delete"));
}

// component.md, 18
#[test]
fn group_patterns_match_as_specified() {
    for (pattern, group, matches) in [
        ("*.foo", "a.foo", true),
        ("*.foo", "a.b.foo", true),
        ("*.foo", "foo", false),
        ("*", "foo", true),
        ("foo", "foo", true),
        ("f*o", "foo", false),
        ("foo.*", "foo.a", false),
        ("*r.foo", "bar.foo", false),
        ("b*.foo", "bar.foo", false),
        ("*.*.foo", "a.b.foo", false),
    ] {
        assert_eq!(matches_group(pattern, group), matches, "{pattern} {group}");
    }
}

// GEN-5
#[test]
fn a_summary_keeps_all_but_the_manifests() {
    let world = World::new();
    let mut set = vec![object("Foo", "foo"), object("ConfigMap", "c").with("lifecycle", "pre-delete"), definition()];
    // More kinds of objects than are compared; the last twelve repeat the kinds of the first.
    set.extend((0..12).map(|n| object("ConfigMap", &format!("c{n}")).with("apply-order", &n.to_string())));
    set.extend((0..12).map(|n| object("ConfigMap", &format!("d{n}")).with("apply-order", &n.to_string())));
    let desired = world.prepare(&set).unwrap();
    let expanded = desired.summary().expand();
    let bare = |objects: &[DesiredObject]| -> Vec<DesiredObject> {
        objects.iter().map(|object| DesiredObject { manifest: None, ..object.clone() }).collect()
    };
    assert_eq!(expanded.objects(), bare(desired.objects()));
    assert_eq!(expanded.deletion_stage(), bare(desired.deletion_stage()));
    assert_eq!(expanded.get(&desired.objects()[3].key), Some(&expanded.objects()[3]));
}

// GEN-5
#[test]
fn a_summary_is_enough_until_something_must_be_written() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    let summary = world.prepare(&set).unwrap().summary().expand();
    let observed = |world: &World| {
        let mut observed = Observed::new(&world.persisted);
        for (key, live) in &world.cluster.objects {
            observed.observe(key.clone(), std::sync::Arc::new(Projection::of(live, &world.engine.context)));
        }
        observed
    };
    let calm = plan(&world.engine, &summary, &world.persisted, &observed(&world), &world.memory, world.now);
    assert_eq!((calm.actions.len(), calm.needs_manifests, calm.verdict), (0, false, Verdict::Complete));
    world.cluster.remove("ConfigMap", "c");
    let missing = plan(&world.engine, &summary, &world.persisted, &observed(&world), &world.memory, world.now);
    assert_eq!((missing.actions.len(), missing.needs_manifests), (0, true));
}

// PREP-7
#[test]
fn a_namespace_that_is_no_text_is_an_error_and_not_another_namespace() {
    let world = World::new();
    let mut numbered = object("ConfigMap", "c");
    numbered["metadata"]["namespace"] = json!(123);
    let error = world.prepare(&[numbered]).unwrap_err().to_string();
    assert!(error.contains("metadata.namespace must be a string, but is a number"), "{error}");
}
