//! The requests of the engine, and the effects of refusals.

use std::time::Duration;

use kubewright_machinery::object::ObjectKey;
use serde_json::Value;

use super::super::*;
use super::cluster::GROUP;
use super::world::{Annotate, End, World, definition, object, waiting};
use crate::backoff::Transient;
use crate::flow::StatusCause;

// PERF-1, N = 1, 10, 100
#[test]
fn an_install_without_waiting_costs_one_create_per_object_and_two_status_writes() {
    for count in [1, 10, 100] {
        let mut world = World::new();
        let set: Vec<Value> = (0..count).map(|index| object("ConfigMap", &format!("c{index}"))).collect();
        assert!(world.apply(&set).is_complete());
        assert_eq!((world.requests().len(), world.status_writes), (count, 2));
    }
}

// WAVE-1, WAVE-3
#[test]
fn a_deleted_dependent_is_back_after_one_write() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a"), object("ConfigMap", "b").with("apply-order", "1")];
    world.apply(&set);
    world.requests();
    world.cluster.remove("ConfigMap", "b");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Create b"]);
}

// WAVE-5
#[test]
fn a_type_deleted_by_hand_is_let_go_and_created_again() {
    let mut world = World::new();
    let set = [object("Baz", "baz"), definition()];
    world.apply(&set);
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
    world.cluster.remove("CustomResourceDefinition", "bazs.testing.kubewright.dev");
    world.requests();
    waiting(&world.apply(&set));
    assert_eq!(world.requests(), ["ReleaseFinalizer bazs.testing.kubewright.dev"]);
    assert!(matches!(world.notes.last(), Some(Note::DependentDeleted { .. })));
    world.cluster.tick();
    world.apply(&set);
    assert_eq!(world.requests(), ["Create bazs.testing.kubewright.dev", "Create baz"]);
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
}

// WAVE-8
#[test]
fn a_type_that_is_not_served_yet_is_tried_again() {
    let mut world = World::new();
    let set = [object("Bar", "bar")];
    let key = ObjectKey::new(GROUP, "Bar", "demo", "bar");
    world.cluster.refusals.insert(key.clone(), vec![Refusal::unknown_type("no such type"); 3]);
    waiting(&world.apply(&set));
    assert_eq!(world.requests(), ["Create bar"; 4]);
    world.cluster.remove("Bar", "bar");
    world.cluster.refusals.insert(key, vec![Refusal::unknown_type("no such type"); 50]);
    let end = world.apply(&set);
    assert!(matches!(&end, End::Verdict(Verdict::Wait { after: Some(after), .. }) if after.as_secs() == 5), "{end:?}");
    assert_eq!(world.requests().len(), 7);
}

// NS-1
#[test]
fn missing_namespaces_are_created_unless_forbidden() {
    let set =
        [object("ConfigMap", "a").within("one"), object("ConfigMap", "b").within("one"), object("ConfigMap", "c").within("two")];
    let mut world = World::new();
    assert!(world.apply(&set).is_complete());
    assert!(world.cluster.get("Namespace", "one").is_some() && world.cluster.get("Namespace", "two").is_some());
    assert_eq!(world.notes.len(), 2);
    assert!(!world.phases().iter().any(|phase| phase.starts_with("one")));

    let mut world = World::new();
    world.engine.missing_namespaces = crate::manifest::MissingNamespacesPolicy::DoNotCreate;
    assert!(matches!(world.apply(&set), End::Verdict(Verdict::Wait { .. })));
    assert_eq!(world.cluster.get("Namespace", "one"), None);
}

// WRITE-9
#[test]
fn conflicts_are_retried_and_others_go_on() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a"), object("ConfigMap", "b")];
    world.apply(&set);
    world.requests();
    let changed = set.map(|manifest| manifest.value("Yg=="));
    let conflict = Refusal { code: 409, reason: "Conflict".to_owned(), ..Refusal::default() };
    let key = ObjectKey::new("", "ConfigMap", "demo", "a");
    world.cluster.refusals.insert(key.clone(), vec![conflict.clone(); 3]);
    assert!(world.apply(&changed).is_complete());
    assert_eq!(world.requests().iter().filter(|request| *request == "Update a").count(), 4);

    let again = changed.map(|manifest| manifest.value("Yw=="));
    world.cluster.refusals.insert(key, vec![conflict; 100]);
    let end = world.apply(&again);
    let End::Verdict(Verdict::Wait { message, after }) = end else { panic!("{end:?}") };
    assert_eq!(message, "conflict while writing ConfigMap demo/a");
    assert_eq!((after, world.transient), (None, Some(Transient::default())), "the back-off of the component decides");
    assert_eq!(world.requests().iter().filter(|request| *request == "Update a").count(), 6);
    assert_eq!(world.item("b").phase, Phase::Ready);
}

// WRITE-14, PLAN-5
#[test]
fn an_immutable_field_is_named_with_the_remedies() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a"), object("ConfigMap", "b"), object("Foo", "late").with("apply-order", "1")];
    let refusal = Refusal {
        code: 422,
        message: "invalid".to_owned(),
        causes: vec![StatusCause {
            field: "spec.selector".to_owned(),
            message: "field is immutable".to_owned(),
            ..StatusCause::default()
        }],
        ..Refusal::default()
    };
    world.apply(&set[..2]);
    world.requests();
    world.cluster.refusals.insert(ObjectKey::new("", "ConfigMap", "demo", "a"), vec![refusal]);
    let changed = set.map(|manifest| manifest.value("Yg=="));
    let end = world.apply(&changed);
    let End::Verdict(Verdict::Failed { message, code }) = end else { panic!("{end:?}") };
    assert_eq!(code, Some(422));
    for part in ["ConfigMap demo/a", "spec.selector", "Recreate"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(world.requests(), ["Update a", "Update b"]);
    assert!(world.apply(&changed[..2]).is_complete());
}

// OUT-3
#[test]
fn transient_errors_are_reported_with_the_longest_retry_after_of_the_server() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a"), object("ConfigMap", "b"), object("ConfigMap", "c")];
    let key = |name| ObjectKey::new("", "ConfigMap", "demo", name);
    let busy = |seconds| Refusal { code: 429, retry_after: Some(Duration::from_secs(seconds)), ..Refusal::default() };
    world.cluster.refusals.insert(key("a"), vec![Refusal { code: 500, ..Refusal::default() }]);
    world.cluster.refusals.insert(key("b"), vec![busy(7)]);
    let end = world.apply(&set);
    assert!(matches!(end, End::Verdict(Verdict::Wait { after: None, .. })), "{end:?}");
    assert_eq!(world.transient, Some(Transient::new(Some(Duration::from_secs(7)))));
    assert!(world.cluster.get("ConfigMap", "c").is_some(), "others go on");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.transient, None);
}

// OUT-3: the watch of the namespace triggers the next pass.
#[test]
fn a_namespace_that_is_going_away_is_no_transient_error() {
    let mut world = World::new();
    let cause = StatusCause { reason: "NamespaceTerminating".to_owned(), ..StatusCause::default() };
    let refusal = Refusal { code: 403, causes: vec![cause], ..Refusal::default() };
    world.cluster.refusals.insert(ObjectKey::new("", "ConfigMap", "demo", "a"), vec![refusal]);
    let end = world.apply(&[object("ConfigMap", "a")]);
    assert!(matches!(end, End::Verdict(Verdict::Wait { after: None, .. })), "{end:?}");
    assert_eq!(world.transient, None);
}
