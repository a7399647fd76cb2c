use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectReference;
use kubewright_machinery::object::names::dns_1123_subdomain;

use super::*;
use crate::flow::Event;
use crate::time::Moment;

fn occurrence(note: &str) -> Occurrence {
    let name = "demo".to_owned();
    Occurrence {
        reporter: "test".to_owned(),
        regarding: ObjectReference { kind: "Widget".to_owned(), namespace: "ns".to_owned(), name, ..ObjectReference::default() },
        related: None,
        event: Event::warning("Broken", note),
        annotations: BTreeMap::new(),
    }
}

struct Scene(Correlator);

impl Scene {
    fn new() -> Self {
        Self(Correlator::new(0xabc))
    }

    /// Returns the decision about an event at this second.
    fn at(&mut self, second: u64, note: &str) -> String {
        let time = Timestamp::from_second(second as i64).unwrap();
        shown(self.0.observe(occurrence(note), time, Moment(Duration::from_secs(second))))
    }
}

fn shown(decision: EventDecision) -> String {
    match decision {
        EventDecision::Create(record) => record.occurrence.event.note,
        EventDecision::Count { count, .. } => format!("count {count}"),
        EventDecision::Held => "held".to_owned(),
        EventDecision::Dropped => "dropped".to_owned(),
    }
}

// EMIT-4
#[test]
fn repeats_become_a_series_that_is_written_rarely() {
    let mut scene = Scene::new();
    let seen = [(0, "x"), (10, "count 2"), (20, "held"), (300, "held"), (311, "count 5"), (400, "held")];
    for (second, expected) in seen {
        assert_eq!(scene.at(second, "x"), expected, "at {second}");
    }
    assert_eq!(scene.0.next_due(), Some(Moment(Duration::from_secs(760))));
    let last: Vec<String> = scene.0.flush(Moment(Duration::from_secs(760))).into_iter().map(shown).collect();
    assert_eq!(last, ["count 6"]);
    assert_eq!(scene.at(761, "x"), "x");
}

// EMIT-4
#[test]
fn a_single_event_is_not_counted_when_it_falls_silent() {
    let mut scene = Scene::new();
    scene.at(0, "x");
    assert!(scene.0.flush(Moment(Duration::from_secs(360))).is_empty());
    assert_eq!(scene.0.next_due(), None);
}

// EMIT-4, ACT-9
#[test]
fn the_delay_in_a_note_does_not_tell_events_apart() {
    let mut scene = Scene::new();
    assert_eq!(scene.at(0, "x; next try in 5ms"), "x; next try in 5ms");
    assert_eq!(scene.at(1, "x; next try in 10ms"), "count 2");
}

// EMIT-5
#[test]
fn many_similar_events_are_combined() {
    let mut scene = Scene::new();
    for n in 0..10 {
        assert_eq!(scene.at(n, &format!("n{n}")), format!("n{n}"));
    }
    assert_eq!(scene.at(10, "n10"), "(combined from similar events): n10");
    assert_eq!(scene.at(11, "n11"), "count 2");
    assert_eq!(scene.at(700, "n12"), "n12");
}

// EMIT-6
#[test]
fn an_object_has_a_budget() {
    let mut scene = Scene::new();
    let mut created = 0;
    for n in 0..40_u64 {
        let mut next = occurrence("x");
        next.event.reason = format!("R{n}").into();
        let decision = scene.0.observe(next, Timestamp::UNIX_EPOCH, Moment::START);
        created += u64::from(matches!(decision, EventDecision::Create(_)));
    }
    assert_eq!(created, 25);
    assert_eq!(scene.at(300, "later"), "later");
}

// EMIT-1
#[test]
fn notes_are_cut_and_names_are_distinct() {
    let mut scene = Scene::new();
    let note = scene.at(0, &"ä".repeat(600));
    assert!(note.len() <= 1024 && note.ends_with("ä..."));
    let mut names_of = |note: &str| match scene.0.observe(occurrence(note), Timestamp::UNIX_EPOCH, Moment::START) {
        EventDecision::Create(record) => (record.namespace, record.name),
        decision => unreachable!("{decision:?}"),
    };
    let (one, other) = (names_of("a"), names_of("b"));
    assert_eq!(one, ("ns".to_owned(), "demo.0000000000000abe".to_owned()));
    assert_ne!(one, other);
}

// EMIT-1: a server rejects events whose own name is not a DNS subdomain, whatever the name of the object.
#[test]
fn events_about_objects_of_any_name_have_names_that_servers_take() {
    let mut correlator = Correlator::new(0);
    let mut stem = |name: &str| {
        let regarding = ObjectReference { kind: "ClusterRole".to_owned(), name: name.to_owned(), ..ObjectReference::default() };
        let occurrence = Occurrence { regarding, ..occurrence("a") };
        let EventDecision::Create(record) = correlator.observe(occurrence, Timestamp::UNIX_EPOCH, Moment::START) else {
            panic!("{name:?} gets no event");
        };
        assert_eq!(dns_1123_subdomain(&record.name), [""; 0], "{name:?}");
        record.name.rsplit_once('.').unwrap().0.to_owned()
    };
    for (name, expected) in [
        ("demo.example.com", "demo.example.com"),
        ("system:node", "system-node"),
        ("Read Only", "read-only"),
        ("system:", "system"),
        (":", "event"),
        ("", "event"),
        ("größe", "gr--e"),
    ] {
        assert_eq!(stem(name), expected);
    }
    assert_eq!(stem(&"ä".repeat(200)), "event");
    assert_eq!(stem(&"a".repeat(253)).len(), 236);
}

// EMIT-7
#[test]
fn memory_is_bounded() {
    let mut correlator = Correlator::new(1);
    for n in 0..5000 {
        let mut next = occurrence("x");
        next.regarding.name = format!("demo-{n}");
        correlator.observe(next, Timestamp::UNIX_EPOCH, Moment(Duration::from_secs(n)));
    }
    assert!(correlator.next_due().unwrap() > Moment(Duration::from_secs(5000 - 4096)));
}

// EMIT-4: each count is written in the end, for every reason that a series ends.
#[test]
fn no_count_is_lost_with_its_series() {
    let mut correlator = Correlator::new(1);
    let mut at = |name: &str, second: u64| {
        let mut next = occurrence("x");
        next.regarding.name = name.to_owned();
        shown(correlator.observe(next, Timestamp::UNIX_EPOCH, Moment(Duration::from_secs(second))))
    };
    let seen = [at("first", 0), at("first", 1), at("first", 2)];
    assert_eq!(seen, ["x", "count 2", "held"]);
    for n in 0..4096 {
        at(&format!("demo-{n}"), 3);
    }
    let seen = [at("last", 4), at("last", 4), at("last", 5)];
    assert_eq!(seen, ["x", "count 2", "held"]);
    let pushed_out: Vec<String> = correlator.flush(Moment(Duration::from_secs(5))).into_iter().map(shown).collect();
    assert_eq!(pushed_out, ["count 3"]);
    let open: Vec<String> = correlator.finish().into_iter().map(shown).collect();
    assert_eq!((open, correlator.next_due()), (vec!["count 3".to_owned()], None));
}

// EMIT-4
#[test]
fn an_event_that_is_not_there_is_made_anew() {
    let mut scene = Scene::new();
    let EventDecision::Create(record) = scene.0.observe(occurrence("x"), Timestamp::UNIX_EPOCH, Moment::START) else {
        unreachable!("the first is created")
    };
    scene.0.forget("demo.of another");
    assert_eq!(scene.at(1, "x"), "count 2");
    scene.0.forget(&record.name);
    assert_eq!((scene.at(2, "x"), scene.at(3, "x")), ("x".to_owned(), "count 2".to_owned()));
}
