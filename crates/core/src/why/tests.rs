use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{GroupKind, Key};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::flow::{Conclusion, Failure, Flow, KeyMemory, Limits, PassTimes, Prior, Timer, Wait, conclude, report};
use crate::time::{Moment, Timestamp};

fn paths(old: &Value, new: &Value) -> Vec<String> {
    changed_paths(&old.to_string(), &new.to_string(), 100).shown().map(str::to_owned).collect()
}

// WHY-3
#[test]
fn paths_name_the_fields_that_differ() {
    let cases = [
        (json!({}), json!({}), vec![]),
        (json!({"data": {"a": "1", "b": "2"}}), json!({"data": {"a": "2", "b": "2"}}), vec!["data.a"]),
        (json!({"data": {"a": "1"}}), json!({"data": {"b": "2"}}), vec!["data.a", "data.b"]),
        (
            json!({"spec": {"x": [{"image": "a"}, {"image": "b"}]}}),
            json!({"spec": {"x": [{"image": "a"}, {"image": "c"}]}}),
            vec!["spec.x[1].image"],
        ),
        (json!({"spec": {"x": [1]}}), json!({"spec": {"x": [1, 2]}}), vec!["spec.x"]),
        (
            json!({"metadata": {"labels": {"example.com/a": "1"}, "resourceVersion": "1", "generation": 1, "managedFields": []}}),
            json!({"metadata": {"labels": {"example.com/a": "2"}, "resourceVersion": "2", "generation": 2}}),
            vec![r#"metadata.labels["example.com/a"]"#],
        ),
        (json!({"spec": {"generation": 1}}), json!({"spec": {"generation": 2}}), vec!["spec.generation"]),
        (json!({"a": {"b": 1}}), json!({}), vec!["a"]),
        (json!(1), json!(2), vec!["."]),
    ];
    for (old, new, expected) in cases {
        assert_eq!(paths(&old, &new), expected, "{old} {new}");
    }
}

// WHY-3
#[test]
fn the_same_in_another_order_is_no_change() {
    let (old, new) = (r#"{"a": {"x": 1, "y": 2}, "b": 1}"#, r#"{"b":1,"a":{"y":2,"x":1}}"#);
    assert!(changed_paths(old, new, 8).is_empty());
}

// WHY-3
#[test]
fn paths_are_bounded_in_number_and_length() {
    let object = |value: &str| {
        let data: Map<String, Value> = (0..20).map(|n| (format!("k{n:02}"), json!(value))).collect();
        json!({ "data": data, "z": { "é".repeat(100): value } })
    };
    let found = changed_paths(&object("1").to_string(), &object("2").to_string(), 2);
    assert_eq!(found.to_string(), "data.k00, data.k01 and 19 more");
    let long = changed_paths(&json!({"é".repeat(100): 1}).to_string(), &json!({"é".repeat(100): 2}).to_string(), 2);
    let path = long.shown().next().unwrap().to_owned();
    assert!(path.len() < 130 && path.ends_with('…'), "{path}");
}

// WHY-2: fields are named, but their values are not.
#[test]
fn the_value_of_a_secret_is_in_no_path() {
    let secret = |value: &str| json!({"kind": "Secret", "data": {"password": value}}).to_string();
    let found = changed_paths(&secret("aHVudGVyMg=="), &secret("czNjcjN0"), 8);
    assert_eq!(found.to_string(), "data.password");
}

enum Step {
    Field(String),
    Item(usize),
}

/// Returns the steps of a path without escapes.
fn steps(path: &str) -> Vec<Step> {
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() && rest != "." {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (name, after) = quoted.split_once("\"]").unwrap();
            steps.push(Step::Field(name.to_owned()));
            rest = after;
        } else if let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']').unwrap();
            steps.push(Step::Item(index.parse().unwrap()));
            rest = after;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            steps.push(Step::Field(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    steps
}

/// Copies the value at a path from another value.
fn take_over(into: &mut Value, from: Option<&Value>, steps: &[Step]) {
    match steps {
        [] => *into = from.unwrap().clone(),
        [Step::Field(name)] if from.and_then(|from| from.get(name)).is_none() => {
            into.as_object_mut().unwrap().remove(name);
        }
        [Step::Field(name), rest @ ..] => {
            let fields = into.as_object_mut().unwrap();
            take_over(fields.entry(name.clone()).or_insert(Value::Null), from.and_then(|from| from.get(name)), rest);
        }
        [Step::Item(index), rest @ ..] => take_over(&mut into[index], from.and_then(|from| from.get(index)), rest),
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3i64).prop_map(Value::from),
        "[ab\"{,]{0,2}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof!["[abc]", "metadata", r"a\.b/[cd]", "generation"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4)
                .prop_map(|fields| Value::from(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn told(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    object
}

proptest! {
    // WHY-3: the paths cover all differences.
    #[test]
    fn taking_over_what_stands_at_the_paths_gives_the_new_object(old in values(), new in values()) {
        let found = changed_paths(&old.to_string(), &new.to_string(), usize::MAX);
        prop_assert_eq!(found.more(), 0);
        let mut object = told(&old);
        for path in found.shown() {
            take_over(&mut object, Some(&new), &steps(path));
        }
        prop_assert_eq!(told(&object), told(&new), "{}", found);
        prop_assert_eq!(found.is_empty(), told(&old) == told(&new), "{}", found);
    }

    // WHY-3
    #[test]
    fn a_limit_shows_fewer_and_counts_the_rest(old in values(), new in values(), limit in 0..4usize) {
        let all = changed_paths(&old.to_string(), &new.to_string(), usize::MAX);
        let some = changed_paths(&old.to_string(), &new.to_string(), limit);
        prop_assert_eq!(some.shown().len() + some.more(), all.shown().len());
        prop_assert!(some.shown().eq(all.shown().take(limit)));
    }

    // WHY-5
    #[test]
    fn a_history_keeps_its_limits_and_the_latest_passes(
        passes in prop::collection::vec(0..30u8, 1..300),
        per_key in 1..5usize,
        records in 1..40usize,
    ) {
        let bytes = 6000;
        let mut history = History::new(HistoryLimits { per_key, records, bytes });
        let mut counts = std::collections::HashMap::new();
        for name in &passes {
            let key = Key::new("ns", name.to_string());
            let count: &mut u64 = counts.entry(*name).or_default();
            let number = history.add(&key, record(QueuedBy::Requested), *count);
            *count += 1;
            prop_assert_eq!(number, *count);
            let kept = history.of(&key);
            prop_assert!(!kept.is_empty() && kept.len() <= per_key);
            prop_assert!(kept.windows(2).all(|pair| pair[0].number + 1 == pair[1].number));
            prop_assert_eq!(kept.last().unwrap().number, number);
            prop_assert!(history.keys() == 1 || history.records() <= records && history.bytes() <= bytes);
        }
        let all: usize = (0..30u8).map(|name| history.of(&Key::new("ns", name.to_string())).len()).sum();
        prop_assert_eq!(all, history.records());
    }
}

fn record(cause: QueuedBy) -> PassRecord {
    let trace = "0123456789abcdef0123456789abcdef".into();
    PassRecord::new(trace, Timestamp::UNIX_EPOCH, Duration::from_millis(12), cause.into(), &ended(&Ok(())), false)
}

fn ended(flow: &Flow) -> Conclusion {
    let (mut memory, mut limits) = (KeyMemory::default(), Limits::new(crate::backoff::Timing::default().without_jitter(), 1));
    let told = report(flow, &memory, &Prior::Memory, limits.timing());
    conclude(
        flow,
        told,
        &mut memory,
        &mut limits,
        &PassTimes { started: Moment::START, ended: Moment::START, recheck: None, persisted: None },
    )
}

// WHY-5: the first list of a large cluster leaves at most the limits.
#[test]
fn a_hundred_thousand_keys_leave_a_history_within_its_bound() {
    let mut history = History::default();
    for number in 0..100_000 {
        history.add(&Key::new("ns", format!("object-{number}")), record(QueuedBy::FirstList), 0);
    }
    assert!(history.records() <= 4096 && history.bytes() <= 4 << 20, "{history:?}");
    assert_eq!(history.of(&Key::new("ns", "object-99999")).len(), 1);
    assert!(history.of(&Key::new("ns", "object-0")).is_empty(), "the key that was unused the longest goes first");
}

fn change(name: &str, what: ObjectChangeKind) -> QueuedBy {
    let (kind, key) = (Arc::new(GroupKind::new("", "ConfigMap")), Key::new("x", name));
    QueuedBy::Changed(Arc::new(ObjectChange { kind, key, what, by: Some("kubectl".into()), own: false }))
}

fn changed(name: &str, data: &str) -> QueuedBy {
    let (old, new) = (json!({}), json!({ data: 1 }));
    change(name, ObjectChangeKind::Changed(changed_paths(&old.to_string(), &new.to_string(), 8)))
}

// WHY-1, WHY-4
#[test]
fn causes_are_joined_by_object_and_bounded() {
    let mut causes = Causes::default();
    (0..50).for_each(|n| causes.add(changed("y", &format!("f{n}"))));
    causes.add(QueuedBy::Resync);
    causes.add(QueuedBy::Resync);
    assert_eq!(causes.to_string(), "ConfigMap x/y changed f0, f1, f2, f3, f4, f5, f6, f7 and 42 more (by kubectl); resync");
    causes.extend((0..5).map(|n| change(&n.to_string(), ObjectChangeKind::Came)));
    assert_eq!((causes.iter().len(), causes.more()), (4, 3));
    let mut causes = Causes::from(change("y", ObjectChangeKind::Came));
    causes.add(changed("y", "a"));
    assert_eq!(causes.to_string(), "ConfigMap x/y came (by kubectl)");
    causes.add(change("y", ObjectChangeKind::Went));
    assert_eq!(causes.to_string(), "ConfigMap x/y went (by kubectl)");
}

// WHY-4
#[test]
fn a_pass_is_one_line() {
    let key = Key::new("x", "z");
    let mut history = History::default();
    let mut pass = record(changed("y", "data"));
    pass.writes.add(WriteVerb::Updated, &GroupKind::new("apps", "Deployment"), &key, "");
    history.add(&key, pass.clone(), 40);
    let line = history.last(&key).unwrap().to_string();
    assert_eq!(line, "pass 41: ConfigMap x/y changed data (by kubectl) → updated Deployment.apps x/z → Ready");
    pass.writes.add(WriteVerb::Patched, &GroupKind::new("", "Pod"), &key, "status");
    pass.writes.add(WriteVerb::Patched, &GroupKind::new("", "Pod"), &key, "status");
    (0..20).for_each(|n| pass.writes.add(WriteVerb::Deleted, &GroupKind::new("", "Pod"), &Key::new("x", n.to_string()), ""));
    let writes = pass.writes.to_string();
    assert!(
        writes.contains("patched Pod x/z (status) 2 times, deleted Pod x/0, ") && writes.ends_with(" and 6 more"),
        "{writes}"
    );
    let json = pass.to_json();
    assert_eq!(json["causes"][0]["paths"], json!(["data"]));
    assert_eq!((&json["outcome"], &json["moreWrites"]), (&json!("Ready"), &json!(6)));
}

// WHY-4
#[test]
fn the_outcome_names_reason_and_next_pass_and_no_message() {
    let line = |flow: Flow| {
        let conclusion = ended(&flow);
        let causes = Causes::from(QueuedBy::Requested);
        PassRecord::new("t".into(), Timestamp::UNIX_EPOCH, Duration::ZERO, causes, &conclusion, false).to_string()
    };
    let wait = Wait::after(crate::flow::Delay::secs::<10>(), "ServiceUnavailable").message("hunter2");
    assert_eq!(line(wait.into()), "pass 0: requested → wait ServiceUnavailable, again in 10s");
    assert_eq!(line(Failure::backoff("hunter2").reason("Timeout").into()), "pass 0: requested → failed Timeout, again in 5ms");
}

// WHY-1
#[test]
fn a_timer_names_the_outcome_that_set_it() {
    let mut limits = Limits::new(crate::backoff::Timing::default().without_jitter(), 1);
    let timer = |flow: Flow, recheck: Option<u64>, limits: &mut Limits| {
        let mut memory = KeyMemory::default();
        let told = report(&flow, &memory, &Prior::Memory, limits.timing());
        let recheck = recheck.map(|seconds| crate::flow::Delay::at_least_min(Duration::from_secs(seconds)));
        conclude(
            &flow,
            told,
            &mut memory,
            limits,
            &PassTimes { started: Moment::START, ended: Moment::START, recheck, persisted: None },
        );
        memory.timer().to_string()
    };
    let wait = || -> Flow { Wait::after(crate::flow::Delay::secs::<10>(), "Draining").into() };
    assert_eq!(timer(wait(), None, &mut limits), "wait Draining");
    assert_eq!(timer(wait(), Some(60), &mut limits), "wait Draining");
    assert_eq!(timer(wait(), Some(5), &mut limits), "recheck");
    assert_eq!(timer(Ok(()), Some(5), &mut limits), "recheck");
    assert_eq!(timer(Failure::backoff("x").reason("Timeout").into(), None, &mut limits), "back-off after Timeout");
    assert_eq!(KeyMemory::default().timer(), Timer::Recheck);
}
