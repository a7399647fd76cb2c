use std::collections::BTreeSet;

use kubewright_machinery::object::Key;
use proptest::prelude::*;

use super::choose::fnv1a;
use super::*;
use crate::backoff::Rng;
use crate::recorded::{knative_vectors, texts};

const WINDS: [&str; 4] = ["monsoon", "chubasco", "aguacero", "chaparrón"];

fn numbered(prefix: &str, buckets: usize) -> Vec<String> {
    (0..buckets).map(|index| format!("{prefix}.{index:02}-of-{buckets:02}")).collect()
}

/// Parses a key in the form that is hashed: with a leading slash if there is no namespace.
fn key(text: &str) -> Key {
    let (namespace, name) = text.split_once('/').unwrap();
    Key::new(namespace, name)
}

// HSH-2
#[test]
fn the_hash_is_fnv_1a_of_64_bits() {
    assert_eq!(fnv1a(&[""]), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv1a(&["a"]), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(fnv1a(&["hagel", "start-angle-salt"]) % 2048, 1739);
    assert_eq!(fnv1a(&["hagel", "step-angle-salt"]) % 2048, 1601);
}

// HSH-4, 13.2
#[test]
fn names_are_chosen_in_the_order_of_the_specification() {
    for (target, chosen) in [
        ("hagel", vec!["monsoon", "chaparrón", "aguacero"]),
        ("snow", vec!["chubasco", "aguacero", "monsoon"]),
        ("hagel", vec!["monsoon"]),
        ("snow", vec!["chubasco"]),
        ("snow/hail", vec!["monsoon"]),
    ] {
        assert_eq!(choose(&WINDS, chosen.len(), target), chosen, "{target}");
    }
}

// HSH-1
#[test]
fn all_names_are_chosen_when_there_are_no_more() {
    let all = ["aguacero", "chaparrón", "chubasco", "monsoon"];
    assert_eq!(choose(&WINDS, 4, "x"), all);
    assert_eq!(choose(&WINDS, 9, "x"), all);
    assert_eq!(choose(&["b", "a", "b"], 2, "x"), ["a", "b"]);
    assert_eq!(choose(&WINDS, 0, "x"), Vec::<&str>::new());
    assert_eq!(choose::<&str>(&[], 1, "x"), Vec::<&str>::new());
}

// HSH-3, HSH-5, 13.2
#[test]
fn owners_are_those_of_the_specification() {
    type Owners = &'static [(&'static str, usize)];
    let owners: [(Vec<String>, Owners); 5] = [
        (
            numbered("comp.queue", 3),
            &[("default/a", 0), ("default/b", 0), ("kube-system/foo", 0), ("/cluster-thing", 2), ("ns/name", 1)],
        ),
        (
            numbered("comp.queue", 10),
            &[("default/a", 7), ("default/b", 5), ("kube-system/foo", 2), ("/cluster-thing", 9), ("ns/name", 3)],
        ),
        (numbered("samples-controller", 3), &[("default/a", 0), ("ns/name", 2), ("/cluster-thing", 0)]),
        (numbered("samples-controller", 10), &[("default/a", 8), ("ns/name", 0), ("/cluster-thing", 6)]),
        (
            vec!["node-129".to_owned(), "node-226".to_owned()],
            &[("default/a", 0), ("default/b", 1), ("default/c", 0), ("ns/name", 1), ("/cluster-thing", 1)],
        ),
    ];
    for (names, owners) in owners {
        let mut buckets = Buckets::new(names.iter().map(String::as_str));
        for (text, index) in owners {
            assert_eq!(buckets.owner(&key(text)).as_deref(), Some(names[*index].as_str()), "{text} in {names:?}");
        }
    }
}

// 13.4: with 12 buckets of an ordinal set
#[test]
fn owners_in_an_ordinal_set_are_those_of_the_specification() {
    let name = |index: usize| format!("http://as-{index}.autoscaler.knative-testing.svc.cluster.local:80");
    let mut buckets = Buckets::new((0..12).map(name));
    assert_eq!(buckets.owner(&key("default/a")).as_deref(), Some(name(4).as_str()));
    assert_eq!(buckets.owner(&key("ns/name")).as_deref(), Some(name(10).as_str()));
}

// HSH-5
#[test]
fn owners_are_those_that_were_recorded() {
    let Some(lines) = knative_vectors("bucket-owner.jsonl") else { return };
    let mut count = 0;
    for line in lines {
        let names = texts(&line, "names");
        let mut buckets = Buckets::new(names.iter().map(String::as_str));
        for owner in line["owners"].as_array().unwrap() {
            let text = owner[0].as_str().unwrap();
            let expected = names[owner[1].as_u64().unwrap() as usize].as_str();
            assert_eq!(buckets.owner(&key(text)).as_deref(), Some(expected), "{text} in {names:?}");
            count += 1;
        }
    }
    assert_eq!(count, 2000);
}

// HSH-1 to HSH-4
#[test]
fn subsets_are_those_that_were_recorded() {
    let Some(lines) = knative_vectors("choose-subset.jsonl") else { return };
    assert_eq!(lines.len(), 180);
    for line in lines {
        let (names, target) = (texts(&line, "names"), line["target"].as_str().unwrap());
        let mut chosen = choose(&names, line["n"].as_u64().unwrap() as usize, target);
        chosen.sort_unstable();
        assert_eq!(chosen, texts(&line, "chosenSorted"), "{line}");
    }
}

// HSH-1 to HSH-4
#[test]
fn subsets_are_those_that_knative_documents() {
    let bodies = ["sun", "moon", "mars", "mercury"];
    let tasks = ["task1", "task2", "task3", "task4", "task5"];
    for (names, n, target, expected) in [
        (&bodies[..], 4, "a target!", vec!["mars", "mercury", "moon", "sun"]),
        (&bodies, 2, "a target!", vec!["mercury", "moon"]),
        (&bodies, 2, "something else entirely", vec!["mars", "mercury"]),
        (&bodies, 3, "something else entirely", vec!["mars", "mercury", "sun"]),
        (&tasks[..3], 1, "my-key1", vec!["task3"]),
        (&tasks[..3], 1, "something/another-key", vec!["task2"]),
        (&tasks, 2, "my-key1", vec!["task3", "task4"]),
    ] {
        let mut chosen = choose(names, n, target);
        chosen.sort_unstable();
        assert_eq!(chosen, expected, "{n} for {target}");
    }
}

#[test]
fn buckets_list_their_names_in_byte_order() {
    let names: Vec<String> = Buckets::new(WINDS).names().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["aguacero", "chaparrón", "chubasco", "monsoon"]);
}

// HSH-3: these two have the same slot for this target
#[test]
fn names_with_the_same_slot_are_both_chosen() {
    let names = ["b08006d4-81f9-42ee-808b-ea18a39cbd83", "c9dc8df4-8c8d-4077-8750-6d2c2113a23b"];
    let target = "e68a64e1-19d8-4855-9ffa-04f49223a059";
    assert_eq!(names.map(|name| fnv1a(&[name, target]) % 2048)[0], fnv1a(&[names[1], target]) % 2048);
    let third = [names[0], names[1], "third"];
    let mut chosen: Vec<&str> = (0..100).flat_map(|index| choose(&third, 2, &format!("{target}{index}"))).collect();
    chosen.sort_unstable();
    chosen.dedup();
    assert_eq!(chosen, third);
    assert_eq!(choose(&third, 2, target).len(), 2);
}

// HSH-4
#[test]
fn no_name_is_chosen_much_more_often_than_another() {
    let mut rng = Rng::seeded(1);
    let names: Vec<String> = (0..50).map(|_| format!("{:016x}", rng.next_u64())).collect();
    let mut counts = vec![0_u32; names.len()];
    for _ in 0..10_000 {
        for name in choose(&names, 10, &format!("{:016x}", rng.next_u64())) {
            counts[names.iter().position(|known| known == name).unwrap()] += 1;
        }
    }
    assert!(counts.iter().all(|count| (1600..=2400).contains(count)), "{counts:?}");
}

// HSH-5: only keys of the name that is gone move
#[test]
fn keys_of_the_names_that_stay_keep_their_owner() {
    let less: Vec<&str> = WINDS.into_iter().filter(|name| *name != "chubasco").collect();
    let (mut before, mut after) = (Buckets::new(WINDS), Buckets::new(less));
    let mut kept = 0;
    for index in 0..1000 {
        let key = Key::new("default", format!("object-{index}"));
        let (old, new) = (before.owner(&key).unwrap(), after.owner(&key).unwrap());
        kept += usize::from(&*old != "chubasco" && old == new);
        assert_ne!(&*new, "chubasco");
        assert!(&*old == "chubasco" || old == new, "{key} moved from {old} to {new}");
    }
    assert!(kept > 500, "{kept}");
}

// HSH-5
#[test]
fn a_new_set_of_names_forgets_the_owners() {
    let mut buckets = Buckets::new(numbered("comp.queue", 10));
    assert_eq!(buckets.owner(&key("default/a")).as_deref(), Some("comp.queue.07-of-10"));
    buckets.replace(numbered("comp.queue", 3));
    assert_eq!((buckets.remembered(), buckets.names().len()), (0, 3));
    assert_eq!(buckets.owner(&key("default/a")).as_deref(), Some("comp.queue.00-of-03"));
    buckets.replace(Vec::<String>::new());
    assert_eq!(buckets.owner(&key("default/a")), None);
    buckets.replace(["one", "one"]);
    assert_eq!(buckets.owner(&key("default/a")).as_deref(), Some("one"));
}

// HSH-5
#[test]
fn at_most_4096_owners_are_remembered_and_those_in_use_stay() {
    let mut buckets = Buckets::new(WINDS);
    let often = key("default/often");
    let owner = buckets.owner(&often);
    for index in 0..10_000 {
        buckets.owner(&Key::new("ns", format!("object-{index}")));
        assert!(buckets.remembered() <= 4096);
        if index % 1000 == 0 {
            assert_eq!(buckets.owner(&often), owner);
        }
    }
    assert!(buckets.remembered() > 2048);
}

// Knative's hash does not terminate in this case.
#[test]
fn more_names_than_slots_are_no_endless_search() {
    let names: Vec<String> = (0..2100).map(|index| format!("node-{index:04}")).collect();
    assert_eq!(choose(&names, 1, "default/a").len(), 1);
    assert_eq!(choose(&names, 2099, "default/a").len(), 2048);
}

proptest! {
    // HSH-1, HSH-4
    #[test]
    fn as_many_different_names_are_chosen_as_asked_for(names in prop::collection::vec("[a-d]{1,3}", 0..20), n in 0..20_usize, target in ".{0,8}") {
        let different: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let chosen = choose(&names, n, &target);
        prop_assert_eq!(chosen.len(), n.min(different.len()));
        let unique: BTreeSet<&str> = chosen.iter().copied().collect();
        prop_assert_eq!(unique.len(), chosen.len());
        prop_assert!(unique.is_subset(&different));
    }
}
