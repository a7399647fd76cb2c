//! Tests of the promotion, renewal and loss of a term: the states `Promoting` and `Leading`.

use super::bench::{ElectorBench, ME, absent, at, elector, held_by, leading, overlap, promoting, read, term, written};
use crate::lease::*;

// Promoting, LDR-24, LDR-25
#[test]
fn a_failed_promotion_is_repeated_and_the_lease_renewed_meanwhile() {
    let mut bench = promoting();
    assert_eq!(bench.tell(Input::Promoted(false), 2), []);
    assert_eq!(bench.timer, Some(at(3)));
    assert_eq!(bench.fire(), [Output::Promote(term(0, 0))]);
    assert_eq!(bench.tell(Input::Promoted(false), 4), []);
    assert_eq!(bench.timer, Some(at(6)));
    assert_eq!(bench.fire(), [Output::Promote(term(0, 0))]);
    assert_eq!(bench.timer, Some(at(10)));
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 10), [Output::Renewed(term(0, 10))]);
    assert_eq!(bench.state(), LeaseState::Promoting);
    assert_eq!(bench.tell(Input::Promoted(true), 11), [Output::Activate(term(0, 10))]);
    assert_eq!(bench.state(), LeaseState::Leading);
}

// Promoting: the back-off is 1 s … 30 s
#[test]
fn pauses_between_failed_promotions_double_up_to_30_seconds() {
    let mut bench = promoting();
    let (mut now, mut version) = (0, 1);
    for pause in [1, 2, 4, 8, 16, 30, 30] {
        assert_eq!(bench.tell(Input::Promoted(false), now), []);
        let due = now + pause;
        loop {
            now = bench.timer.unwrap().0.as_secs();
            match bench.fire().as_slice() {
                [Output::Update(write, _)] => {
                    version += 1;
                    bench.done(&write.clone(), version, now);
                }
                [Output::Promote(_)] => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(now, due);
    }
}

// Leading: timer each retry period
#[test]
fn a_leader_renews_each_retry_period_without_reading_first() {
    let mut bench = leading();
    for round in 1..6 {
        assert_eq!(bench.timer, Some(at(round * 10)));
        let outputs = bench.fire();
        let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!((write.epoch(), &*over.resource_version), (0, round.to_string().as_str()));
        assert_eq!(bench.done(&write.clone(), round + 1, round * 10 + 1), [Output::Renewed(term(0, round * 10))]);
    }
}

// Leading: errors are repeated until the renew deadline, LDR-22
#[test]
fn a_term_ends_at_the_renew_deadline_after_the_last_success_was_sent() {
    let mut bench = leading();
    for round in 1..4 {
        assert_eq!(bench.timer, Some(at(round * 10)));
        assert!(matches!(bench.fire().as_slice(), [Output::Update(..)]));
        assert_eq!(bench.tell(Input::Written(LeaseAnswer::Error), round * 10 + 3), []);
    }
    assert_eq!(bench.timer, Some(at(40)));
    assert_eq!((bench.elector.term(at(39)), bench.elector.term(at(40))), (Some(term(0, 0)), None));
    assert_eq!(bench.fire(), [Output::CancelTerm]);
    assert_eq!(bench.state(), LeaseState::Losing);
    // LDR-26: passes end first, then the hook; LDR-21: then the replica campaigns again.
    assert_eq!(bench.tell(Input::Drained, 45), [Output::Demote]);
    assert_eq!(bench.tell(Input::Demoted, 47), [Output::Read { live: true }]);
    assert_eq!(bench.state(), LeaseState::Waiting);
}

// LDR-22: also without an input meanwhile, as after a freeze
#[test]
fn a_renewal_that_is_answered_after_the_end_of_the_term_does_not_save_it() {
    let mut bench = leading();
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 40), [Output::CancelTerm]);
    assert_eq!(bench.state(), LeaseState::Losing);
}

// Leading: conflict
#[test]
fn a_conflict_is_followed_by_a_read_and_another_write_while_the_lease_is_ours() {
    let mut bench = leading();
    bench.fire();
    assert_eq!(bench.tell(Input::Written(LeaseAnswer::Conflict), 11), [Output::Read { live: true }]);
    let outputs = bench.tell(read(held_by(ME, 0, 8)), 12);
    let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!(&*over.resource_version, "8");
    assert_eq!(bench.done(&write.clone(), 9, 13), [Output::Renewed(term(0, 12))]);
}

// Leading: conflict, and a read that fails
#[test]
fn a_failed_read_of_a_leader_is_repeated_with_the_next_renewal() {
    let mut bench = leading();
    bench.fire();
    bench.tell(Input::Written(LeaseAnswer::Conflict), 11);
    assert_eq!(bench.tell(Input::Read(LeaseAnswer::Error), 14), []);
    assert_eq!(bench.timer, Some(at(20)));
    assert!(matches!(bench.fire().as_slice(), [Output::Update(..)]));
}

// Leading: another holder observed, LDR-22 (Knative's leader continues for a whole renew deadline)
#[test]
fn a_term_ends_as_soon_as_another_holder_is_seen() {
    for holder in ["other", ""] {
        let mut bench = leading();
        assert_eq!(bench.tell(Input::Watched(Some(held_by(holder, 1, 2))), 3), [Output::CancelTerm], "{holder:?}");
        let mut bench = leading();
        bench.fire();
        bench.tell(Input::Written(LeaseAnswer::Conflict), 11);
        assert_eq!(bench.tell(read(held_by(holder, 1, 2)), 12), [Output::CancelTerm], "{holder:?}");
    }
    let mut bench = leading();
    bench.fire();
    bench.tell(Input::Written(LeaseAnswer::Conflict), 11);
    assert_eq!(bench.tell(absent(), 12), [Output::CancelTerm]);
}

// Leading: the watch may be behind this replica's own writes
#[test]
fn events_that_are_older_than_our_own_write_do_not_end_a_term() {
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(read(held_by("", 0, 5)), 0));
    bench.done(&write, 9, 0);
    bench.tell(Input::Promoted(true), 0);
    assert_eq!(bench.tell(Input::Watched(Some(held_by("other", 0, 4))), 1), []);
    assert_eq!(bench.tell(Input::Watched(Some(held_by(ME, 1, 9))), 1), []);
    assert_eq!(bench.state(), LeaseState::Leading);
    // A deletion event has no version, so the server is asked.
    assert_eq!(bench.tell(Input::Watched(None), 2), [Output::Read { live: true }]);
    let outputs = bench.tell(read(held_by(ME, 1, 9)), 3);
    assert!(matches!(outputs.as_slice(), [Output::Update(..)]), "{outputs:?}");
    assert_eq!(bench.state(), LeaseState::Leading);
}

#[test]
fn a_timer_that_fires_too_early_is_set_again() {
    let mut bench = leading();
    assert_eq!(bench.timer.take(), Some(at(10)));
    assert_eq!(bench.tell(Input::Timer, 4), []);
    assert_eq!(bench.timer, Some(at(10)));
}

#[test]
fn answers_to_no_request_change_nothing() {
    let mut bench = leading();
    for input in [absent(), Input::Written(LeaseAnswer::Conflict), Input::OverlapChecked(LeaseAnswer::Ok(Some(overlap(50))))] {
        assert_eq!(bench.tell(input, 1), []);
    }
    for input in [Input::Promoted(false), Input::Drained, Input::Demoted] {
        assert_eq!(bench.tell(input, 1), []);
    }
    assert_eq!(bench.state(), LeaseState::Leading);
}
