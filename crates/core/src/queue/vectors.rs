//! A comparison of queue and back-off with the recorded order and times of passes of the widespread Go controllers. Where this library differs on
//! purpose, the test states both sides.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::backoff::Timing;
use crate::flow::{
    BoxError, Classified, Delay, Failure, Flow, Halt, JoinedErrors, KeyMemory, Limits, PassTimes, Prior, Schedule, conclude,
    report,
};
use crate::recorded::knative_vectors;
use crate::time::Moment;

/// The tolerance for the recorded time between the starts of two passes, in milliseconds.
const BLUR: u64 = 3;

fn millis(moment: Moment) -> u64 {
    moment.0.as_millis() as u64
}

fn delay(millis: u64) -> Delay {
    Delay::at_least_min(Duration::from_millis(millis))
}

// QUE-5
#[test]
fn a_fast_key_is_first_where_the_recorded_queue_has_it_last() {
    let Some(lines) = knative_vectors("lanes.jsonl") else { return };
    let recorded: Vec<&Value> = lines.iter().filter(|line| line["positions"].is_array()).collect();
    assert_eq!(recorded.len(), 4);
    for line in recorded {
        let mut queue = Queue::new();
        (0..500).for_each(|key| queue.add(key, Lane::Slow, Moment::START));
        queue.add(500, Lane::Fast, Moment::START);
        let position = std::iter::from_fn(|| queue.pop(Moment::START)).position(|key| key == 500);
        assert_eq!(position, Some(0));
        // The recorded queue copies its lanes into one buffer: a fast key that is added a millisecond later stands behind all slow ones.
        let expected = if line["waitBeforeFast"] == "0s" { 0 } else { 500 };
        assert!(line["positions"].as_array().unwrap().iter().all(|position| *position == expected), "{line}");
    }
}

// QUE-2, QUE-3
#[test]
fn a_key_that_is_added_during_its_pass_runs_once_more_as_recorded() {
    let Some(lines) = knative_vectors("lanes.jsonl") else { return };
    let line = lines.iter().find(|line| line["passes"].is_u64()).unwrap();
    let mut queue = Queue::new();
    queue.add("a", Lane::Fast, Moment::START);
    let (mut passes, mut at_once) = (0, 0);
    while queue.pop(Moment::START).is_some() {
        passes += 1;
        if passes == 1 {
            (0..5).for_each(|_| [Lane::Fast, Lane::Slow].into_iter().for_each(|lane| queue.add("a", lane, Moment::START)));
        }
        at_once = at_once.max(queue.in_flight() + usize::from(queue.clone().pop(Moment::START).is_some()));
        queue.done(&"a", Schedule::OnEvent, Moment::START);
    }
    assert_eq!((Value::from(passes), Value::from(at_once)), (line["passes"].clone(), line["atOnce"].clone()));
}

// QUE-8
#[test]
fn the_earlier_of_two_timers_wins_as_recorded() {
    let Some(lines) = knative_vectors("lanes.jsonl") else { return };
    let line = lines.iter().find(|line| line["at"].is_array()).unwrap();
    let mut queue = Queue::new();
    queue.add_after("a", delay(100), Lane::Fast, Moment::START);
    queue.add_after("a", delay(200), Lane::Fast, Moment::START);
    let mut starts = Vec::new();
    while let Some(due) = queue.next_due() {
        starts.extend(queue.pop(due).map(|_| millis(due)));
        queue.done(&"a", Schedule::OnEvent, due);
    }
    assert_eq!(Value::from(starts), line["at"]);
}

/// An error that describes the failed operation and has a source.
#[derive(Debug, thiserror::Error)]
#[error("w")]
struct Wrapped(#[source] BoxError);

fn wrapped(inner: impl Into<BoxError>) -> Flow {
    Failure::unclassified(Wrapped(inner.into())).into()
}

fn joined(inner: Classified) -> Flow {
    let errors = JoinedErrors::join([Some(BoxError::from("x")), Some(inner.into())]);
    errors.map_or(Ok(()), |errors| Failure::unclassified(errors).into())
}

/// Translates a recorded result into one of this library. A requeue leaves the number of failures unchanged, so it is a failure with its own delay
/// rather than a wait.
fn outcome(key: &str, result: &str) -> Flow {
    let permanent = || Classified::terminal("Permanent", "x");
    let requeue = |millis| Classified::after(delay(millis), "requeue");
    match (key, result) {
        (_, "nil") => Ok(()),
        (_, "*errors.errorString: x") => Failure::backoff("x").into(),
        (_, "controller.permanentError: x") => Failure::unclassified(permanent()).into(),
        ("ns/permanent-wraps-requeue", _) => Failure::unclassified(Classified::terminal("Permanent", requeue(80))).into(),
        ("ns/joined-permanent", _) => joined(permanent()),
        ("ns/joined-requeue", _) => joined(requeue(60)),
        ("ns/wrapped-permanent", _) => wrapped(permanent()),
        ("ns/wrapped-requeue", _) => wrapped(requeue(100)),
        // Delays of zero or less do not exist here; the smallest delay stands for an immediate requeue.
        ("ns/requeue-immediately" | "ns/requeue-negative", _) => Failure::unclassified(requeue(0)).into(),
        (_, "controller.requeueKeyError: requeue after: 50ms") => Failure::unclassified(requeue(50)).into(),
        (_, skipped) if skipped.starts_with("controller.skipKeyError") => Err(Halt::Done),
        (key, other) => panic!("{key} ends in an unknown way: {other}"),
    }
}

/// The start of each pass in milliseconds, and the number of failures before it.
type Passes = Vec<(u64, u64)>;

/// Runs the passes of a key with the given results, and with success afterwards.
fn run(key: &str, results: &[&str]) -> Passes {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let (mut queue, mut memory, mut passes) = (Queue::new(), KeyMemory::default(), Vec::new());
    queue.add(key, Lane::Fast, Moment::START);
    let mut now = Moment::START;
    loop {
        if let Some(key) = queue.pop(now) {
            let result = results.get(passes.len()).map_or(Ok(()), |result| outcome(key, result));
            passes.push((millis(now), u64::from(memory.failures())));
            let told = report(&result, &memory, &Prior::Memory, limits.timing());
            let pass = PassTimes { started: now, ended: now, recheck: None, persisted: None };
            queue.done(&key, conclude(&result, told, &mut memory, &mut limits, &pass).schedule, now);
        } else if let Some(due) = queue.next_due() {
            now = due;
        } else {
            return passes;
        }
    }
}

// BO-4, ERR-1, ERR-5, QUE-9, QUE-15
#[test]
fn passes_start_as_recorded_but_for_three_wanted_differences() {
    let Some(lines) = knative_vectors("run-loop.jsonl") else { return };
    let mut wanted = BTreeMap::from([
        // A permanent error stays permanent, even if it wraps a requeue: the outermost class counts (ERR-1).
        ("ns/permanent-wraps-requeue", vec![(0, 0)]),
        // The pass is retried if at least one of several errors is retried (ERR-5).
        ("ns/joined-permanent", vec![(0, 0), (5, 1)]),
        // The delay of a requeue bounds the back-off of the error joined with it, and does not replace it (ERR-5).
        ("ns/joined-requeue", vec![(0, 0), (5, 1)]),
    ]);
    assert_eq!(lines.len(), 13);
    for line in &lines {
        let key = line["key"].as_str().unwrap();
        let recorded = line["passes"].as_array().unwrap();
        let results: Vec<&str> = recorded.iter().map(|pass| pass["result"].as_str().unwrap()).collect();
        let passes = run(key, &results);
        if let Some(expected) = wanted.remove(key) {
            assert_eq!(passes, expected, "{key}");
            continue;
        }
        let recorded: Passes =
            recorded.iter().map(|pass| (pass["ms"].as_u64().unwrap(), pass["numRequeuesBefore"].as_u64().unwrap())).collect();
        let failures = |passes: &Passes| passes.iter().map(|(_, failures)| *failures).collect::<Vec<_>>();
        assert_eq!(failures(&passes), failures(&recorded), "{key}");
        let gaps = |passes: &Passes| passes.windows(2).map(|pair| pair[1].0 - pair[0].0).collect::<Vec<_>>();
        for (found, expected) in gaps(&passes).into_iter().zip(gaps(&recorded)) {
            assert!(found.abs_diff(expected) <= BLUR, "{key}: {passes:?}, recorded {recorded:?}");
        }
    }
    assert!(wanted.is_empty());
}
