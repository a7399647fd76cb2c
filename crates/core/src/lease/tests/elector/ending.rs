//! Tests of the ends of terms: the state `Losing`, and shutdown.

use super::bench::{ElectorBench, ME, absent, at, elector, held_by, leading, promoting, read, term, waiting, written};
use crate::lease::*;

// LDR-24: lost during the hook
#[test]
fn a_term_that_is_lost_during_promotion_is_demoted_after_the_hook_ended() {
    let lost = || {
        let mut bench = promoting();
        assert_eq!(bench.tell(Input::Watched(Some(held_by("other", 1, 2))), 3), [Output::CancelTerm]);
        assert_eq!(bench.tell(Input::Drained, 3), []);
        bench
    };
    let mut bench = lost();
    assert_eq!(bench.tell(Input::Promoted(true), 5), [Output::Demote]);
    assert_eq!(bench.tell(Input::Demoted, 6), [Output::Read { live: true }]);
    // A failed promotion is not followed by a demotion.
    assert_eq!(lost().tell(Input::Promoted(false), 5), [Output::Read { live: true }]);
}

// LDR-22: the runtime found the term over just before a renewal of it was answered
#[test]
fn a_term_that_is_over_for_the_runtime_ends_although_it_was_renewed() {
    let mut bench = leading();
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 10), [Output::Renewed(term(0, 10))]);
    assert_eq!(bench.tell(Input::TermEnded, 10), [Output::CancelTerm]);
    assert_eq!(bench.tell(Input::Drained, 11), [Output::Demote]);
    assert_eq!(bench.tell(Input::Demoted, 12), [Output::Read { live: true }]);
    // This replica still holds the lease, and gains it anew.
    let write = written(&bench.tell(read(held_by(ME, 0, 2)), 12));
    assert_eq!(bench.done(&write, 3, 12), [Output::Promote(term(0, 12))]);
}

// LDR-24: lost between two tries of the hook
#[test]
fn a_term_that_was_never_promoted_is_not_demoted() {
    let mut bench = promoting();
    bench.tell(Input::Promoted(false), 1);
    let outputs = bench.tell(Input::Watched(Some(held_by("other", 1, 2))), 1);
    assert_eq!(outputs, [Output::CancelTerm, Output::Read { live: true }]);
}

// LDR-24: a new term starts after the demotion of the old one
#[test]
fn a_new_lease_term_does_not_begin_before_the_previous_demotion_has_ended() {
    let mut bench = leading();
    bench.tell(Input::Watched(Some(held_by("other", 1, 2))), 3);
    assert_eq!(bench.tell(Input::Watched(Some(held_by("", 1, 3))), 4), []);
    assert_eq!(bench.tell(Input::Drained, 5), [Output::Demote]);
    assert_eq!(bench.tell(Input::Watched(Some(held_by("", 1, 4))), 6), []);
    assert_eq!(bench.tell(Input::Demoted, 7), [Output::Read { live: true }]);
    let write = written(&bench.tell(read(held_by("", 1, 4)), 7));
    assert_eq!(bench.done(&write, 5, 7), [Output::Promote(term(2, 7))]);
}

// Leading: shutdown; LDR-23, LDR-26
#[test]
fn a_leader_that_stops_ends_its_passes_then_demotes_then_releases() {
    let mut bench = leading();
    assert_eq!(bench.tell(Input::Shutdown, 5), []);
    assert_eq!(bench.state(), LeaseState::Leading);
    // The leader renews while its passes end.
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 10), [Output::Renewed(term(0, 10))]);
    assert_eq!(bench.tell(Input::Drained, 15), [Output::CancelTerm, Output::Demote]);
    assert_eq!((bench.state(), bench.elector.term(at(15))), (LeaseState::Losing, None));
    let outputs = bench.tell(Input::Demoted, 16);
    let [Output::Release(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), &*over.resource_version), (0, "2"));
    assert_eq!(bench.done(&write.clone(), 3, 17), [Output::Released]);
    assert_eq!(bench.state(), LeaseState::Released);
    for input in [Input::Start, Input::Timer, Input::Watched(None), Input::Shutdown, Input::Demoted] {
        assert_eq!(bench.tell(input, 100), []);
    }
}

// Leading: shutdown; the renewal may have been executed, so that a release of the known version would be a conflict
#[test]
fn a_leader_that_stops_reads_the_lease_before_the_release_when_a_renewal_was_not_answered() {
    let stopping = || {
        let mut bench = leading();
        bench.fire();
        bench.tell(Input::Shutdown, 11);
        bench.tell(Input::Written(LeaseAnswer::Error), 12);
        bench.tell(Input::Drained, 13);
        assert_eq!(bench.tell(Input::Demoted, 14), [Output::Read { live: true }]);
        bench
    };
    let outputs = stopping().tell(read(held_by(ME, 0, 2)), 15);
    let [Output::Release(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), &*over.resource_version), (0, "2"));
    // Another replica already has the lease, or the server does not answer: no release is sent.
    assert_eq!(stopping().tell(read(held_by("other", 1, 2)), 15), [Output::Released]);
    assert_eq!(stopping().tell(Input::Read(LeaseAnswer::Error), 15), [Output::Released]);
}

// LDR-23: failure is ignored
#[test]
fn a_release_that_fails_ends_the_elector_too() {
    for answer in [LeaseAnswer::Conflict, LeaseAnswer::Error] {
        let mut bench = leading();
        bench.tell(Input::Shutdown, 5);
        bench.tell(Input::Drained, 5);
        bench.tell(Input::Demoted, 5);
        assert_eq!(bench.tell(Input::Written(answer), 6), [Output::Released]);
    }
}

// LDR-24: Knative demotes buckets at SIGTERM even if they were never held
#[test]
fn a_replica_that_stops_without_the_lease_demotes_and_releases_nothing() {
    assert_eq!(waiting().tell(Input::Shutdown, 1), [Output::Released]);
    assert_eq!(ElectorBench::new(elector()).tell(Input::Shutdown, 0), [Output::Released]);
}

// Acquiring: shutdown
#[test]
fn a_stopping_replica_releases_a_lease_that_its_pending_write_gained() {
    let stopping = || {
        let mut bench = ElectorBench::new(elector());
        bench.tell(Input::Start, 0);
        let write = written(&bench.tell(absent(), 0));
        assert_eq!(bench.tell(Input::Shutdown, 0), []);
        (bench, write)
    };
    let (mut bench, write) = stopping();
    let outputs = bench.done(&write, 1, 1);
    let [Output::Release(release, _)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!(bench.done(&release.clone(), 2, 1), [Output::Released]);
    // Without an answer the server is asked.
    let (mut bench, _) = stopping();
    assert_eq!(bench.tell(Input::Written(LeaseAnswer::Error), 1), [Output::Read { live: true }]);
    assert!(matches!(bench.tell(read(held_by(ME, 0, 1)), 2).as_slice(), [Output::Release(..)]));
    let (mut bench, _) = stopping();
    bench.tell(Input::Written(LeaseAnswer::Conflict), 1);
    assert_eq!(bench.tell(read(held_by("other", 0, 1)), 2), [Output::Released]);
    let (mut bench, _) = stopping();
    bench.tell(Input::Written(LeaseAnswer::Error), 1);
    assert_eq!(bench.tell(Input::Read(LeaseAnswer::Error), 2), [Output::Released]);
}

// Promoting: shutdown
#[test]
fn a_replica_that_stops_during_promotion_waits_for_the_hook() {
    let stopping = || {
        let mut bench = promoting();
        assert_eq!(bench.tell(Input::Shutdown, 1), []);
        bench
    };
    let mut bench = stopping();
    assert_eq!(bench.tell(Input::Promoted(true), 2), [Output::CancelTerm, Output::Demote]);
    assert!(matches!(bench.tell(Input::Demoted, 3).as_slice(), [Output::Release(..)]));
    let mut bench = stopping();
    assert!(matches!(bench.tell(Input::Promoted(false), 2).as_slice(), [Output::CancelTerm, Output::Release(..)]));
    // Between two tries no hook runs that has to end.
    let mut bench = promoting();
    bench.tell(Input::Promoted(false), 1);
    assert!(matches!(bench.tell(Input::Shutdown, 1).as_slice(), [Output::CancelTerm, Output::Release(..)]));
}

// Losing: shutdown
#[test]
fn a_replica_that_stops_while_it_loses_ends_after_the_demotion() {
    let mut bench = leading();
    bench.tell(Input::Watched(Some(held_by("other", 1, 2))), 3);
    assert_eq!(bench.tell(Input::Shutdown, 4), []);
    assert_eq!(bench.tell(Input::Drained, 5), [Output::Demote]);
    assert_eq!(bench.tell(Input::Demoted, 6), [Output::Released]);
    // The term ends during the demotion of a shutdown.
    let mut bench = leading();
    bench.tell(Input::Shutdown, 5);
    bench.tell(Input::Drained, 6);
    assert_eq!(bench.tell(Input::Watched(Some(held_by("other", 1, 2))), 7), []);
    assert_eq!(bench.tell(Input::Demoted, 8), [Output::Released]);
}
