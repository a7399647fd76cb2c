use std::num::NonZeroU32;

use super::super::*;

fn of(buckets: u32) -> NonZeroU32 {
    NonZeroU32::new(buckets).unwrap()
}

fn names(set: &LeaseSet) -> Vec<&str> {
    set.names().iter().map(|name| &**name).collect()
}

// LDR-10, 13.4
#[test]
fn leases_are_named_after_operator_controller_number_and_count() {
    let none = PrefixMap::default();
    assert_eq!(names(&LeaseSet::of_operator("samples-controller", of(1), &none)), ["samples-controller.00-of-01"]);
    let set = LeaseSet::of_controller("the-component", "name", of(3), &none);
    assert_eq!(names(&set), ["the-component.name.00-of-03", "the-component.name.01-of-03", "the-component.name.02-of-03"]);
    assert_eq!(set.buckets(), 3);
    let set = LeaseSet::of_controller("The-Component", "Some.Name", of(12), &none);
    assert_eq!(&*set.names()[11], "the-component.some.name.11-of-12");
}

// LDR-11
#[test]
fn a_lease_may_have_an_explicit_name() {
    let set = LeaseSet::named("my-operator-lock");
    assert_eq!(names(&set), ["my-operator-lock"]);
    assert!(!set.overlaps("my-operator-lock.00-of-03"));
}

// LDR-12, 13.4: Knative compares before it puts the name in lower case
#[test]
fn prefixes_are_replaced_without_regard_to_case() {
    for (from, to) in [("my-comp.queue", "my-comp-2.queue"), ("My-Comp.Queue", "My-Comp-2.queue")] {
        let mut prefixes = PrefixMap::default();
        assert!(prefixes.insert(from, to));
        let set = LeaseSet::of_controller("my-comp", "Queue", of(2), &prefixes);
        assert_eq!(names(&set), ["my-comp-2.queue.00-of-02", "my-comp-2.queue.01-of-02"]);
        // Only the whole prefix counts.
        let other = LeaseSet::of_controller("my-comp", "queue.more", of(1), &prefixes);
        assert_eq!(names(&other), ["my-comp.queue.more.00-of-01"]);
    }
}

// LDR-12
#[test]
fn a_prefix_has_one_replacement() {
    let mut prefixes = PrefixMap::default();
    assert!(prefixes.is_empty());
    assert!(prefixes.insert("a.Reconciler", "b"));
    assert!(prefixes.insert("a.reconciler", "B"));
    assert!(!prefixes.insert("A.reconciler", "c"));
    assert_eq!(names(&LeaseSet::of_operator("a.reconciler", of(1), &prefixes)), ["b.00-of-01"]);
}

// LDR-33
#[test]
fn leases_that_divide_the_same_keys_in_another_way_overlap() {
    let none = PrefixMap::default();
    let operator = || LeaseSet::of_operator("comp", of(3), &none);
    let controller = |name| LeaseSet::of_controller("comp", name, of(1), &none);
    let shared = operator().beside(["queue", "topic"].map(controller));
    let own = controller("queue").beside([operator()]);
    for (lease, of_operator, of_controller) in [
        ("comp.queue.00-of-03", true, true),
        ("comp.queue.00-of-01", true, false),
        ("comp.topic.00-of-01", true, false),
        ("comp.00-of-01", true, true),
        ("comp.00-of-03", false, true),
        ("comp.channel.00-of-01", false, false),
        ("comp.queue", false, false),
    ] {
        assert_eq!((shared.overlaps(lease), own.overlaps(lease)), (of_operator, of_controller), "{lease}");
    }
    assert!(!LeaseSet::named("comp.queue.00-of-01").beside([operator()]).overlaps("comp.00-of-03"));
    // A prefix map may give both sets the same name.
    let mut prefixes = PrefixMap::default();
    assert!(prefixes.insert("comp.queue", "comp"));
    let mapped = LeaseSet::of_controller("comp", "queue", of(3), &prefixes).beside([operator()]);
    assert!(!mapped.overlaps("comp.00-of-03") && mapped.overlaps("comp.00-of-01"));
}

// LDR-33
#[test]
fn leases_of_the_same_prefix_and_another_number_overlap() {
    let set = LeaseSet::of_operator("comp", of(3), &PrefixMap::default());
    for (lease, expected) in [
        ("comp.00-of-01", true),
        ("comp.09-of-10", true),
        ("comp.00-of-03", false),
        ("comp.02-of-03", false),
        ("other.00-of-01", false),
        ("comp.queue.00-of-01", false),
        ("comp", false),
        ("comp.0-of-1", false),
        ("comp.+1-of-01", false),
        ("comp.00-of-", false),
    ] {
        assert_eq!(set.overlaps(lease), expected, "{lease}");
    }
}
