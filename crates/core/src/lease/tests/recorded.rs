//! The elector compared with the recorded lease requests of Knative's replicas.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::super::*;
use crate::recorded::knative_lines;
use crate::time::{Moment, Timestamp};

const COMPONENT: &str = "controller";
const CONTROLLERS: [&str; 2] = [
    "knative.dev.sample-controller.pkg.reconciler.addressableservice.Reconciler",
    "knative.dev.sample-controller.pkg.reconciler.simpledeployment.Reconciler",
];

/// Returns the recorded leases of a scene, each with the `spec` of its writes in order.
fn recorded(scene: &str) -> Option<BTreeMap<String, Vec<Value>>> {
    let mut leases: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in knative_lines(&format!("{scene}/lease-requests.jsonl"))? {
        let is_done = line["code"] == 200 || line["code"] == 201;
        if is_done && !line["spec"].is_null() {
            leases.entry(line["lease"].as_str().unwrap().to_owned()).or_default().push(line["spec"].clone());
        }
    }
    for writes in leases.values_mut() {
        writes.sort_by_key(|spec| spec["renewTime"].as_str().unwrap().to_owned());
    }
    Some(leases)
}

/// Returns the record that a replica with the same identity writes here at the same time over the last one.
fn ours(last: Option<&Value>, spec: &Value) -> Value {
    let observed = last.map(|last| ObservedLease::of(serde_json::json!({ "spec": last })));
    let record = LeaseRecord::of(&serde_json::json!({ "spec": spec }));
    let write = match &observed {
        Some(observed) if record.is_free() => LeaseWrite::release(&observed.record),
        _ => LeaseWrite::gain(&record.holder, 15, observed.as_ref().map(|observed| &observed.record)),
    };
    let now = record.renewed.unwrap();
    let mut object = match &observed {
        Some(observed) => write.replace(observed, &[], now),
        None => write.create("ns", "name", &[], now),
    };
    object["spec"].take()
}

// LDR-13, LDR-14, LDR-23: the records are those of client-go
#[test]
fn gains_renewals_take_overs_and_releases_have_the_recorded_form() {
    let mut counts = BTreeMap::new();
    for scene in ["leader-election", "lease-prefix"] {
        let Some(leases) = recorded(scene) else { return };
        for writes in leases.values() {
            let mut last: Option<&Value> = None;
            for spec in writes {
                let transitions = |spec: &Value| spec["leaseTransitions"].as_u64().unwrap();
                // The requests of some steps were only counted, not listed.
                let is_next = last.is_none_or(|last| transitions(spec) <= transitions(last) + 1);
                let what = match last {
                    _ if !is_next => "after others",
                    None => "gain",
                    Some(_) if spec["holderIdentity"] == "" => "release",
                    Some(last) if last["holderIdentity"] == spec["holderIdentity"] => "renewal",
                    Some(_) => "take-over",
                };
                if is_next {
                    assert_eq!(ours(last, spec), *spec, "{what} after {last:?}");
                }
                *counts.entry(what).or_insert(0) += 1;
                last = Some(spec);
            }
        }
    }
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        [("after others", 1), ("gain", 14), ("release", 8), ("renewal", 272), ("take-over", 17)]
    );
}

fn names(buckets: u32, prefixes: &PrefixMap) -> BTreeSet<String> {
    let buckets = NonZeroU32::new(buckets).unwrap();
    let sets = CONTROLLERS.map(|controller| LeaseSet::of_controller(COMPONENT, controller, buckets, prefixes));
    sets.iter().flat_map(LeaseSet::names).map(ToString::to_string).collect()
}

// LDR-10, LDR-12
#[test]
fn leases_of_controllers_have_the_recorded_names() {
    let Some(leases) = recorded("leader-election") else { return };
    let none = PrefixMap::default();
    let expected: BTreeSet<String> = names(3, &none).into_iter().chain(names(2, &none)).collect();
    assert_eq!(leases.into_keys().collect::<BTreeSet<_>>(), expected);
    let Some(leases) = recorded("lease-prefix") else { return };
    let mut prefixes = PrefixMap::default();
    assert!(prefixes.insert(&format!("{COMPONENT}.{}", CONTROLLERS[0]), "My-Prefix"));
    assert_eq!(leases.into_keys().collect::<BTreeSet<_>>(), names(2, &prefixes));
}

/// An elector that watches a recorded lease, at the recorded times.
struct Watcher {
    elector: Elector,
    seen: Option<ObservedLease>,
    timer: Option<Moment>,
    /// The times at which the elector asked to write the lease.
    tries: Vec<Moment>,
}

impl Watcher {
    fn tell(&mut self, input: Input, now: Moment) {
        for output in self.elector.handle(input, now) {
            match output {
                Output::Timer(at) => self.timer = Some(at),
                Output::Read { .. } => self.tell(Input::Read(LeaseAnswer::Ok(self.seen.clone())), now),
                // The recorded replicas are faster, so every try ends in a conflict.
                Output::Create(_) | Output::Update(..) => {
                    self.tries.push(now);
                    self.tell(Input::Written(LeaseAnswer::Conflict), now);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn wait_until(&mut self, end: Moment) {
        while let Some(at) = self.timer.take_if(|at| *at < end) {
            self.tell(Input::Timer, at);
        }
    }
}

// LDR-20: beside Knative's replicas
#[test]
fn a_recorded_lease_is_tried_only_after_its_holder_released_it_or_was_silent_for_its_duration() {
    let Some(leases) = recorded("leader-election") else { return };
    let seconds = Duration::from_secs;
    let timing = LeaseTiming::new(seconds(15), seconds(10), seconds(2)).unwrap();
    let mut tries = 0;
    for (name, writes) in leases {
        let wall = |spec: &Value| spec["renewTime"].as_str().unwrap().parse::<Timestamp>().unwrap();
        let start = wall(&writes[0]);
        let at = |spec: &Value| Moment(wall(spec).duration_since(start).unsigned_abs());
        let elector = Elector::new("ours", timing, false, 1);
        let mut watcher = Watcher { elector, seen: None, timer: None, tries: Vec::new() };
        for (version, spec) in writes.iter().enumerate() {
            let now = at(spec);
            let lease = serde_json::json!({ "metadata": { "resourceVersion": (version + 1).to_string() }, "spec": spec });
            watcher.seen = Some(ObservedLease::of(Arc::new(lease)));
            let input = if version == 0 { Input::Start } else { Input::Watched(watcher.seen.clone()) };
            watcher.tell(input, now);
            let end = writes.get(version + 1).map_or(now, at);
            watcher.wait_until(end);
            let is_free = spec["holderIdentity"] == "";
            // A try may come half a retry period after the end.
            let is_silent = end.since(now) > seconds(15 + 1);
            assert!(!watcher.tries.is_empty() || !is_free && !is_silent, "{name}: nothing was tried after {spec}");
            for time in watcher.tries.drain(..) {
                assert!(is_free || time.since(now) >= seconds(15), "{name}: {time:?} after {spec}");
                tries += 1;
            }
        }
    }
    assert!(tries > 10, "{tries}");
}
