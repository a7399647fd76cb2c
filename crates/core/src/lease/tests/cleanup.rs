use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::json;

use super::super::*;
use crate::time::Moment;

fn at(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

/// Returns a lease of this operator with this name and number of buckets; an empty holder means a free one.
fn lease(name: &str, buckets: &str, holder: &str, version: u64) -> ObservedLease {
    ObservedLease::of(json!({
        "metadata": {
            "name": name,
            "uid": format!("uid of {name}"),
            "resourceVersion": version.to_string(),
            "labels": { "example.com/operator": "comp", "example.com/buckets": buckets },
        },
        "spec": { "holderIdentity": holder, "leaseDurationSeconds": if holder.is_empty() { 1 } else { 15 }, "leaseTransitions": version },
    }))
}

/// The leader of the first bucket of three, with the leases that it observes.
struct Leader {
    guard: OverlapGuard,
    leases: Vec<ObservedLease>,
}

impl Leader {
    fn new() -> Self {
        let set = LeaseSet::of_operator("comp", NonZeroU32::new(3).unwrap(), &PrefixMap::default());
        Self { guard: OverlapGuard::new(set, LeaseTiming::default()), leases: Vec::new() }
    }

    fn sees(&mut self, lease: ObservedLease, seconds: u64) {
        let name = lease.object["metadata"]["name"].as_str().unwrap().to_owned();
        self.guard.observe(&name, Some(&lease.record), at(seconds));
        self.leases.retain(|known| known.object["metadata"]["name"] != name.as_str());
        self.leases.push(lease);
    }

    /// Returns the names of the leases that the leader deletes, and the time of its next check.
    fn clean_up(&self, seconds: u64) -> (Vec<String>, Option<Moment>) {
        let found = CleanUp::judge(&self.guard, &self.leases, &lease_labels("example.com", "comp", 3), at(seconds));
        (found.delete.iter().map(|lease| lease.name.to_string()).collect(), found.again)
    }
}

// LDR-34
#[test]
fn a_lease_that_was_free_or_expired_for_a_lease_duration_is_deleted() {
    let mut leader = Leader::new();
    leader.sees(lease("comp.00-of-02", "2", "", 5), 0);
    leader.sees(lease("comp.01-of-02", "2", "other", 6), 0);
    // The free lease is deleted after the leader's lease duration; the held one that long after the 15 s that it states.
    assert_eq!(leader.clean_up(59), (vec![], Some(at(60))));
    assert_eq!(leader.clean_up(60), (vec!["comp.00-of-02".to_owned()], Some(at(75))));
    assert_eq!(leader.clean_up(75), (vec!["comp.00-of-02".to_owned(), "comp.01-of-02".to_owned()], None));
}

// LDR-34
#[test]
fn a_deletion_names_the_object_and_the_version_that_was_judged() {
    let mut leader = Leader::new();
    leader.sees(lease("comp.00-of-02", "2", "", 5), 0);
    let found = CleanUp::judge(&leader.guard, &leader.leases, &lease_labels("example.com", "comp", 3), at(60));
    let [unused] = found.delete.as_slice() else { panic!("{found:?}") };
    assert_eq!((&*unused.uid, &*unused.resource_version), ("uid of comp.00-of-02", "5"));
}

// LDR-34: judged by local observation
#[test]
fn every_change_of_a_lease_starts_the_wait_anew() {
    let mut leader = Leader::new();
    leader.sees(lease("comp.00-of-02", "2", "other", 5), 0);
    leader.sees(lease("comp.00-of-02", "2", "other", 6), 70);
    assert_eq!(leader.clean_up(80), (vec![], Some(at(145))));
    leader.sees(lease("comp.00-of-02", "2", "", 7), 90);
    assert_eq!(leader.clean_up(149), (vec![], Some(at(150))));
    // A version that the guard has not observed is not judged by an earlier one.
    leader.leases = vec![lease("comp.00-of-02", "2", "other", 8)];
    assert_eq!(leader.clean_up(150), (vec![], None));
}

// LDR-34
#[test]
fn leases_of_this_number_of_buckets_of_other_prefixes_and_of_others_stay() {
    let mut leader = Leader::new();
    leader.sees(lease("comp.00-of-03", "3", "", 1), 0);
    leader.sees(lease("other.00-of-02", "2", "", 2), 0);
    leader.sees(lease("comp", "1", "", 3), 0);
    // Knative's leases have no labels; those of another operator carry its name.
    for (version, label) in [(4, None), (5, Some("another"))] {
        let name = format!("comp.00-of-0{version}");
        let mut object = serde_json::Value::clone(&lease(&name, "2", "", version).object);
        object["metadata"]["labels"]["example.com/operator"] = json!(label);
        leader.sees(ObservedLease::of(object), 0);
    }
    let mut object = serde_json::Value::clone(&lease("comp.00-of-06", "6", "", 6).object);
    object["metadata"]["deletionTimestamp"] = json!("2026-11-22T18:45:54Z");
    leader.sees(ObservedLease::of(object), 0);
    assert_eq!(leader.clean_up(1000), (vec![], None));
}

// LDR-34: a lease whose name and label disagree about the number of buckets is not one of this operator's replicas
#[test]
fn name_and_label_must_both_say_another_number_of_buckets() {
    let mut leader = Leader::new();
    leader.sees(lease("comp.00-of-02", "3", "", 1), 0);
    leader.sees(lease("comp.00-of-03", "2", "", 2), 0);
    assert_eq!(leader.clean_up(1000), (vec![], None));
}
