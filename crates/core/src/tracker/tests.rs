use std::collections::BTreeMap;

use kubewright_machinery::object::{GroupKind, Key};
use kubewright_machinery::selector::{LabelSelector, Labels};
use serde_json::{Value, json};

use super::*;
use crate::flow::{Blocked, Delay, Flow, Halt, Wait};

fn service() -> GroupKind {
    GroupKind::new("", "Service")
}

fn named(name: &str) -> TrackedReference {
    TrackedReference::named(&service(), "demo", name).unwrap()
}

fn matching(selector: &str) -> TrackedReference {
    TrackedReference::matching(&service(), "demo", LabelSelector::parse(selector).unwrap()).unwrap()
}

fn invalid(reference: Value) -> String {
    let reference: SubjectReference = serde_json::from_value(reference).unwrap();
    TrackedReference::parse(&reference).unwrap_err().to_string()
}

/// Runs a whole pass that tracks these references.
fn pass(index: &mut TrackerIndex<Key>, observer: &str, references: &[TrackedReference], settlement: Settlement) {
    let pass = index.begin(Key::new("demo", observer));
    for reference in references {
        index.track(&pass, reference.clone());
    }
    index.settle(pass, settlement);
}

type LabelMap = BTreeMap<String, String>;

fn labels(text: &str) -> LabelMap {
    text.split(',').filter_map(|pair| pair.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Returns the names of the observers of a change of a Service in namespace `demo`.
fn told(index: &TrackerIndex<Key>, name: &str, before: Option<&LabelMap>, after: Option<&LabelMap>) -> Vec<String> {
    let [before, after] = [before, after].map(|labels| labels.map(|labels| labels as &dyn Labels));
    let observers = index.observers_of_change(&service(), "demo", name, before, after);
    observers.into_iter().map(|key| key.name().to_owned()).collect()
}

// TRK-2
#[test]
fn all_problems_of_a_reference_are_reported_as_sorted_lines() {
    let both = json!({"apiVersion": "v1", "kind": "my-kind", "namespace": "a.b", "name": "Web", "selector": {}});
    let lines: Vec<String> = invalid(both).lines().map(|line| line.split(": a ").next().unwrap().to_owned()).collect();
    assert_eq!(
        lines,
        ["invalid Reference:", "Kind", "Name", "Namespace: must not contain dots", "cannot provide both Name and Selector"]
            .map(str::to_owned)
    );
    assert!(invalid(json!({"apiVersion": "v1", "kind": "Service"})).ends_with(":\nmust provide either Name or Selector"));
    assert!(invalid(json!({"apiVersion": "v1", "kind": "Service", "selector": null})).ends_with("either Name or Selector"));
}

// TRK-2
#[test]
fn a_selector_of_another_form_is_refused_and_matches_nothing_by_accident() {
    for (selector, part) in [
        (json!("app=web"), "invalid type"),
        (json!({"matchLabel": {"a": "b"}}), "unknown field `matchLabel`"),
        (json!({"matchLabels": {"a": 1}}), "expected a string"),
        (json!({"matchExpressions": {"key": "a"}}), "expected a sequence"),
        (json!({"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]}), "expected a sequence"),
    ] {
        let text = invalid(json!({"apiVersion": "v1", "kind": "Service", "selector": selector}));
        assert!(text.starts_with("invalid Reference:\nSelector: ") && text.contains(part), "{text}");
    }
}

// TRK-2
#[test]
fn an_invalid_reference_blocks_the_pass() {
    fn step() -> Flow<TrackedReference> {
        Ok(TrackedReference::named(&service(), "demo", "Web")?)
    }
    let Err(Halt::Blocked(blocked)) = step() else { panic!("not blocked") };
    assert_eq!(blocked.reason().as_str(), "InvalidReference");
    assert!(blocked.text().starts_with("invalid Reference:\nName: a lowercase RFC 1123 subdomain"));
}

#[test]
fn references_are_displayed_like_objects() {
    assert_eq!(named("web").to_string(), "Service demo/web");
    assert_eq!(matching("app=web,!old").to_string(), "Service demo/[app=web,!old]");
    let cluster = TrackedReference::named(&GroupKind::new("apps", "X"), "", "a").unwrap();
    assert_eq!(cluster.to_string(), "X.apps a");
}

// TRK-3, TRK-7
#[test]
fn two_selectors_and_two_names_of_one_observer_all_count() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[named("one"), named("two"), matching("a=1"), matching("a=2")], Settlement::Replace);
    assert_eq!(index.len(), 4);
    for (name, text) in [("one", ""), ("two", ""), ("other", "a=1"), ("other", "a=2"), ("one", "a=1")] {
        assert_eq!(told(&index, name, None, Some(&labels(text))), ["x"], "{name} {text}");
    }
    assert_eq!(told(&index, "other", None, Some(&labels("a=3"))), [""; 0]);
}

// TRK-1
#[test]
fn a_reference_takes_effect_before_the_pass_ends() {
    let mut index = TrackerIndex::new();
    let running = index.begin(Key::new("demo", "x"));
    assert_eq!(index.track(&running, named("web")), ReferenceRegistration::Added);
    assert_eq!(told(&index, "web", None, None), ["x"]);
    assert_eq!(index.track(&running, named("web")), ReferenceRegistration::Repeated);
    assert_eq!(index.settle(running, Settlement::Replace), []);
    assert_eq!((told(&index, "web", None, None), index.len()), (vec!["x".to_owned()], 1));
}

// TRK-4
#[test]
fn a_clean_pass_replaces_references_and_any_other_adds_to_them() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[named("one"), named("two")], Settlement::Replace);
    pass(&mut index, "x", &[named("three")], Settlement::Add);
    assert_eq!((told(&index, "one", None, None).len(), told(&index, "three", None, None).len(), index.len()), (1, 1, 3));
    pass(&mut index, "x", &[named("two")], Settlement::Replace);
    assert_eq!((told(&index, "one", None, None).len(), told(&index, "three", None, None).len(), index.len()), (0, 0, 1));
    assert_eq!(told(&index, "two", None, None), ["x"]);
}

// TRK-4
#[test]
fn ok_and_done_replace_and_every_other_outcome_adds() {
    assert_eq!(Settlement::of(&Ok(())), Settlement::Replace);
    assert_eq!(Settlement::of::<()>(&Err(Halt::Done)), Settlement::Replace);
    let others = [
        Halt::from(Wait::after(Delay::secs::<1>(), crate::reason!("Soon"))),
        Halt::from(Blocked::new(crate::reason!("Stop"), "stop")),
        Halt::from(std::fmt::Error),
    ];
    for halt in others {
        assert_eq!(Settlement::of::<()>(&Err(halt)), Settlement::Add);
    }
}

// TRK-4
#[test]
fn a_pass_that_never_settles_loses_no_reference() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[named("one")], Settlement::Replace);
    let cancelled = index.begin(Key::new("demo", "x"));
    index.track(&cancelled, named("two"));
    let next = index.begin(Key::new("demo", "x"));
    assert_eq!(index.track(&cancelled, named("three")), ReferenceRegistration::Refused);
    assert_eq!(index.settle(cancelled, Settlement::Replace), []);
    assert_eq!(index.len(), 2);
    index.track(&next, named("two"));
    index.settle(next, Settlement::Replace);
    assert_eq!((told(&index, "one", None, None).len(), told(&index, "two", None, None).len()), (0, 1));
}

// TRK-5
#[test]
fn selectors_are_matched_on_the_labels_before_and_after() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[matching("a=1")], Settlement::Replace);
    let (one, two) = (labels("a=1"), labels("a=2"));
    let [fits, other] = [Some(&one), Some(&two)];
    for (before, after, count) in [
        (fits, other, 1),
        (other, fits, 1),
        (fits, fits, 1),
        (None, fits, 1),
        (fits, None, 1),
        (other, other, 0),
        (None, other, 0),
    ] {
        assert_eq!(told(&index, "web", before, after).len(), count, "{before:?} to {after:?}");
    }
}

// TRK-5
#[test]
fn the_absence_of_an_object_matches_no_selector() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[matching("!a")], Settlement::Replace);
    let one = labels("a=1");
    assert_eq!(told(&index, "web", None, Some(&one)), [""; 0]);
    assert_eq!(told(&index, "web", Some(&one), None), [""; 0]);
    assert_eq!(told(&index, "web", None, Some(&labels(""))), ["x"]);
}

// TRK-5
#[test]
fn kinds_and_namespaces_are_kept_apart_and_versions_are_not() {
    let mut index = TrackerIndex::new();
    let reference = json!({"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "demo", "name": "web"});
    let reference = TrackedReference::parse(&serde_json::from_value(reference).unwrap()).unwrap();
    pass(&mut index, "x", &[reference], Settlement::Replace);
    let object = |api_version: &str, kind: &str, namespace: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": "web"}});
    for (object, count) in [
        (object("apps/v1beta1", "Deployment", "demo"), 1),
        (object("extensions/v1", "Deployment", "demo"), 0),
        (object("apps/v1", "StatefulSet", "demo"), 0),
        (object("apps/v1", "Deployment", ""), 0),
        (json!({"metadata": {"namespace": "demo", "name": "web"}}), 0),
    ] {
        assert_eq!(index.observers_of_object(&object).len(), count, "{object}");
    }
}

// TRK-6
#[test]
fn ten_thousand_observers_come_and_go_and_leave_nothing() {
    let mut index = TrackerIndex::new();
    for number in 0..10_000 {
        let own = [named(&format!("own-{number}")), named("shared"), matching(&format!("a={number}")), matching("b")];
        pass(&mut index, &number.to_string(), &own, Settlement::Replace);
    }
    assert_eq!((index.len(), told(&index, "shared", None, None).len()), (40_000, 10_000));
    let mut drop_half = |numbers: std::ops::Range<u32>| {
        let dropped: Vec<_> = numbers.flat_map(|number| index.drop_observer(&Key::new("demo", number.to_string()))).collect();
        (dropped, index.len())
    };
    assert_eq!(drop_half(0..5_000), (Vec::new(), 20_000));
    assert_eq!(drop_half(5_000..10_000), (vec![service()], 0));
    assert!(index.is_empty() && index.holds_nothing());
}

// TRK-6
#[test]
fn a_dropped_observer_is_not_brought_back_by_its_running_pass() {
    let mut index = TrackerIndex::new();
    let running = index.begin(Key::new("demo", "x"));
    index.track(&running, named("one"));
    assert_eq!(index.drop_observer(&Key::new("demo", "x")), [service()]);
    assert_eq!(index.track(&running, named("two")), ReferenceRegistration::Refused);
    index.settle(running, Settlement::Add);
    assert!(index.holds_nothing());
    pass(&mut index, "x", &[named("one")], Settlement::Add);
    assert_eq!(told(&index, "one", None, None), ["x"]);
}

// TRK-4
#[test]
fn an_observer_without_references_takes_no_memory() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[], Settlement::Replace);
    assert!(index.holds_nothing());
    pass(&mut index, "x", &[named("one")], Settlement::Replace);
    pass(&mut index, "x", &[], Settlement::Replace);
    assert!(index.holds_nothing());
}

// TRK-8
#[test]
fn observers_of_a_reference_are_distinguished_from_observers_of_an_object() {
    let mut index = TrackerIndex::new();
    pass(&mut index, "x", &[named("web")], Settlement::Replace);
    pass(&mut index, "y", &[matching("a=1")], Settlement::Replace);
    let key = |name: &str| Key::new("demo", name);
    assert_eq!(index.observers_of(&named("web")), [key("x")].into());
    assert_eq!(index.observers_of(&matching("a=1")), [key("y")].into());
    assert_eq!(index.observers_of(&matching("a=2")), [].into());
    let web =
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "demo", "name": "web", "labels": {"a": "1"}}});
    assert_eq!(index.observers_of_object(&web), [key("x"), key("y")].into());
    assert_eq!(index.references_of(&key("y")).collect::<Vec<_>>(), [&matching("a=1")]);
}

// TRK-9
#[test]
fn the_last_reference_to_a_kind_is_reported() {
    let mut index = TrackerIndex::new();
    let pod = TrackedReference::named(&GroupKind::new("", "Pod"), "demo", "p").unwrap();
    pass(&mut index, "x", &[named("one"), pod.clone()], Settlement::Replace);
    pass(&mut index, "y", &[named("two")], Settlement::Replace);
    assert_eq!(index.kinds().count(), 2);
    let running = index.begin(Key::new("demo", "x"));
    assert_eq!(index.settle(running, Settlement::Replace), [pod.kind().clone()]);
    assert_eq!(index.kinds().collect::<Vec<_>>(), [&service()]);
    assert_eq!(index.drop_observer(&Key::new("demo", "y")), [service()]);
}
