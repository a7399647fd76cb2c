//! Each row of the table of 7.3.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::super::*;
use crate::time::{Moment, Timestamp};

const ME: &str = "me";
const SEED: u64 = 7;

fn at(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

fn elector() -> Elector {
    Elector::new(ME, LeaseTiming::default(), false, SEED)
}

fn seen(record: LeaseRecord, version: u64) -> ObservedLease {
    ObservedLease { record, resource_version: version.to_string().into(), object: Arc::new(Value::Null) }
}

fn held_by(holder: &str, transitions: u32, version: u64) -> ObservedLease {
    let renewed = Timestamp::from_second(version as i64).ok();
    seen(LeaseRecord { holder: holder.into(), duration_seconds: Some(60), acquired: None, renewed, transitions }, version)
}

/// An elector and the requests, hooks and timers that it asked for.
struct Bench {
    elector: Elector,
    timer: Option<Moment>,
}

impl Bench {
    fn new(elector: Elector) -> Self {
        Self { elector, timer: None }
    }

    /// What the elector asks for, without timers.
    fn tell(&mut self, input: Input, seconds: u64) -> Vec<Output> {
        let mut outputs = self.elector.handle(input, at(seconds));
        outputs.retain(|output| {
            if let Output::Timer(at) = output {
                self.timer = Some(*at);
            }
            !matches!(output, Output::Timer(_))
        });
        outputs
    }

    /// The timer fires.
    fn fire(&mut self) -> Vec<Output> {
        let at = self.timer.take().unwrap();
        let mut outputs = self.elector.handle(Input::Timer, at);
        outputs.retain(|output| {
            if let Output::Timer(at) = output {
                self.timer = Some(*at);
            }
            !matches!(output, Output::Timer(_))
        });
        outputs
    }

    /// The watch delivers this lease, and a read finds it, too, if one is due.
    fn sees(&mut self, lease: &ObservedLease, seconds: u64) -> Vec<Output> {
        match self.tell(Input::Watched(Some(lease.clone())), seconds).as_slice() {
            [Output::Read { .. }] => self.tell(read(lease.clone()), seconds),
            outputs => outputs.to_vec(),
        }
    }

    fn state(&self) -> LeaseState {
        self.elector.state()
    }

    /// The answer to a write that succeeded.
    fn done(&mut self, write: &LeaseWrite, version: u64, seconds: u64) -> Vec<Output> {
        let stored = seen(write.record(Timestamp::from_second(seconds as i64).unwrap()), version);
        self.tell(Input::Written(Answer::Ok(stored)), seconds)
    }
}

fn absent() -> Input {
    Input::Read(Answer::Ok(None))
}

fn read(lease: ObservedLease) -> Input {
    Input::Read(Answer::Ok(Some(lease)))
}

fn written(outputs: &[Output]) -> LeaseWrite {
    match outputs {
        [.., Output::Create(write) | Output::Update(write, _) | Output::Release(write, _)] => write.clone(),
        other => panic!("no write: {other:?}"),
    }
}

fn term(epoch: u64, sent: u64) -> Term {
    Term { epoch, valid_until: at(sent + 40), safe_until: at(sent + 60) }
}

/// Holds the lease since second 0, not promoted yet.
fn promoting() -> Bench {
    let mut bench = Bench::new(elector());
    assert_eq!(bench.tell(Input::Start, 0), [Output::Read { live: false }]);
    let outputs = bench.tell(absent(), 0);
    assert_eq!(bench.done(&written(&outputs), 1, 0), [Output::Promote(term(0, 0))]);
    bench
}

/// Leads since second 0.
fn leading() -> Bench {
    let mut bench = promoting();
    assert_eq!(bench.tell(Input::Promoted(true), 0), [Output::Activate(term(0, 0))]);
    bench
}

/// Campaigns since second 0 against a holder whose lease was version 5.
fn waiting() -> Bench {
    let mut bench = Bench::new(elector());
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(read(held_by("other", 2, 5)), 0), []);
    assert_eq!(bench.state(), LeaseState::Waiting);
    bench
}

// Waiting, absent
#[test]
fn an_absent_lease_is_created() {
    let mut bench = Bench::new(elector());
    assert_eq!(bench.tell(Input::Start, 0), [Output::Read { live: false }]);
    let outputs = bench.tell(absent(), 1);
    let [Output::Create(write)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), bench.state()), (0, LeaseState::Acquiring));
    // LDR-22: the term counts from the time of sending.
    assert_eq!(bench.done(&write.clone(), 1, 9), [Output::Promote(term(0, 1))]);
    assert_eq!(bench.state(), LeaseState::Promoting);
}

// Waiting, record differs
#[test]
fn a_held_lease_is_read_again_after_a_jittered_period() {
    let mut bench = waiting();
    for _ in 0..100 {
        let before = bench.timer.unwrap();
        assert_eq!(bench.fire(), [Output::Read { live: false }]);
        // The holder renews each time.
        let version = before.0.as_millis() as u64;
        let mut outputs = bench.elector.handle(read(held_by("other", 2, version)), before);
        let Some(Output::Timer(next)) = outputs.pop() else { panic!("{outputs:?}") };
        let pause = next.since(before);
        assert!(pause >= Duration::from_secs(10) && pause < Duration::from_secs(22), "{pause:?}");
        bench.timer = Some(next);
    }
}

// Waiting, LDR-20
#[test]
fn a_lease_is_taken_when_its_record_did_not_change_for_its_duration() {
    let mut bench = waiting();
    assert_eq!(bench.sees(&held_by("other", 2, 8), 30), []);
    // The same record in a newer version, for instance with another label, is no renewal.
    let labelled = ObservedLease { resource_version: "9".into(), ..held_by("other", 2, 8) };
    assert_eq!(bench.sees(&labelled, 89), []);
    let outputs = bench.sees(&labelled, 90);
    let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), over), (3, &labelled));
}

// LDR-20: a record from two hours ahead or behind is judged by when it was seen
#[test]
fn the_clock_of_the_holder_does_not_matter() {
    for hours in [-2, 0, 2] {
        let mut bench = Bench::new(elector());
        bench.tell(Input::Start, 0);
        let mut lease = held_by("other", 0, 5);
        lease.record.renewed = Timestamp::from_second(10_000 + hours * 3600).ok();
        assert_eq!(bench.tell(read(lease.clone()), 0), []);
        assert_eq!(bench.sees(&lease, 59), []);
        assert!(matches!(bench.sees(&lease, 60).as_slice(), [Output::Update(..)]));
    }
}

// LDR-20: the stated duration counts, not ours
#[test]
fn the_duration_of_the_record_counts() {
    for (stated, seconds) in [(Some(15), 15), (Some(90), 90), (None, 60)] {
        let mut bench = Bench::new(elector());
        bench.tell(Input::Start, 0);
        let mut lease = held_by("other", 0, 5);
        lease.record.duration_seconds = stated;
        bench.tell(read(lease.clone()), 0);
        assert_eq!(bench.sees(&lease, seconds - 1), [], "{stated:?}");
        assert!(matches!(bench.sees(&lease, seconds).as_slice(), [Output::Update(..)]), "{stated:?}");
    }
}

// Waiting, take-over of a dead holder's lease within lease duration and retry period
#[test]
fn a_dead_holders_lease_is_tried_soon_after_it_ended() {
    for seed in 0..50 {
        let mut bench = Bench::new(Elector::new(ME, LeaseTiming::default(), false, seed));
        bench.tell(Input::Start, 0);
        let dead = held_by("other", 0, 5);
        bench.tell(read(dead.clone()), 0);
        let taken = loop {
            let now = bench.timer.unwrap();
            bench.fire();
            let outputs = bench.elector.handle(read(dead.clone()), now);
            match outputs.as_slice() {
                [Output::Timer(next)] => bench.timer = Some(*next),
                [Output::Update(..)] => break now,
                other => panic!("{other:?}"),
            }
        };
        assert!(taken >= at(60) && taken < at(65), "{taken:?}");
    }
}

// Waiting, watch
#[test]
fn an_emptied_or_deleted_lease_is_tried_at_once() {
    let released = seen(LeaseRecord { duration_seconds: Some(1), transitions: 2, ..LeaseRecord::default() }, 6);
    let outputs = waiting().tell(Input::Watched(Some(released.clone())), 1);
    let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), over), (3, &released));
    let outputs = waiting().tell(Input::Watched(None), 1);
    assert!(matches!(outputs.as_slice(), [Output::Create(write)] if write.epoch() == 0), "{outputs:?}");
}

// Waiting, holder is us: an earlier write was done although nobody said so
#[test]
fn a_lease_that_is_ours_already_is_taken_with_the_same_epoch() {
    let mut bench = Bench::new(elector());
    bench.tell(Input::Start, 0);
    let outputs = bench.tell(read(held_by(ME, 4, 5)), 0);
    let [Output::Update(write, _)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!(write.epoch(), 4);
    assert_eq!(bench.done(&write.clone(), 6, 0), [Output::Promote(term(4, 0))]);
}

// Acquiring, conflict or error
#[test]
fn a_lease_that_was_not_gained_is_tried_again_after_a_live_read() {
    for answer in [Answer::Conflict, Answer::Error] {
        let mut bench = Bench::new(elector());
        bench.tell(Input::Start, 0);
        bench.tell(absent(), 0);
        assert_eq!(bench.tell(Input::Written(answer), 1), []);
        assert_eq!(bench.state(), LeaseState::Waiting);
        assert!(bench.timer.unwrap() >= at(11));
        // Nothing else makes it try again with what has proved wrong.
        assert_eq!(bench.tell(Input::Room(true), 2), []);
        assert_eq!(bench.tell(Input::Overlap(None), 2), []);
        assert_eq!(bench.fire(), [Output::Read { live: true }]);
    }
}

// Acquiring, LDR-22: an answer that comes too late is no term
#[test]
fn a_gain_that_is_answered_after_the_renew_deadline_starts_no_term() {
    let mut bench = Bench::new(elector());
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(absent(), 0));
    assert_eq!(bench.done(&write, 1, 40), []);
    assert_eq!(bench.state(), LeaseState::Waiting);
}

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
        assert_eq!(bench.tell(Input::Written(Answer::Error), round * 10 + 3), []);
    }
    assert_eq!(bench.timer, Some(at(40)));
    assert_eq!((bench.elector.term(at(39)), bench.elector.term(at(40))), (Some(term(0, 0)), None));
    assert_eq!(bench.fire(), [Output::CancelTerm]);
    assert_eq!(bench.state(), LeaseState::Losing);
    // LDR-26: passes, then the hook; LDR-21: then it campaigns again.
    assert_eq!(bench.tell(Input::Drained, 45), [Output::Demote]);
    assert_eq!(bench.tell(Input::Demoted, 47), [Output::Read { live: true }]);
    assert_eq!(bench.state(), LeaseState::Waiting);
}

// LDR-22: also when nothing was told meanwhile, as after a freeze
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
    assert_eq!(bench.tell(Input::Written(Answer::Conflict), 11), [Output::Read { live: true }]);
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
    bench.tell(Input::Written(Answer::Conflict), 11);
    assert_eq!(bench.tell(Input::Read(Answer::Error), 14), []);
    assert_eq!(bench.timer, Some(at(20)));
    assert!(matches!(bench.fire().as_slice(), [Output::Update(..)]));
}

// Leading: another holder seen, LDR-22 (Knative's leader goes on for a whole renew deadline)
#[test]
fn a_term_ends_as_soon_as_another_holder_is_seen() {
    for holder in ["other", ""] {
        let mut bench = leading();
        assert_eq!(bench.tell(Input::Watched(Some(held_by(holder, 1, 2))), 3), [Output::CancelTerm], "{holder:?}");
        let mut bench = leading();
        bench.fire();
        bench.tell(Input::Written(Answer::Conflict), 11);
        assert_eq!(bench.tell(read(held_by(holder, 1, 2)), 12), [Output::CancelTerm], "{holder:?}");
    }
    let mut bench = leading();
    bench.fire();
    bench.tell(Input::Written(Answer::Conflict), 11);
    assert_eq!(bench.tell(absent(), 12), [Output::CancelTerm]);
}

// Leading: the watch may be behind our own writes
#[test]
fn events_that_are_older_than_our_own_write_do_not_end_a_term() {
    let mut bench = Bench::new(elector());
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(read(held_by("", 0, 5)), 0));
    bench.done(&write, 9, 0);
    bench.tell(Input::Promoted(true), 0);
    assert_eq!(bench.tell(Input::Watched(Some(held_by("other", 0, 4))), 1), []);
    assert_eq!(bench.tell(Input::Watched(Some(held_by(ME, 1, 9))), 1), []);
    assert_eq!(bench.state(), LeaseState::Leading);
    // An old deletion has no version: the server is asked.
    assert_eq!(bench.tell(Input::Watched(None), 2), [Output::Read { live: true }]);
    let outputs = bench.tell(read(held_by(ME, 1, 9)), 3);
    assert!(matches!(outputs.as_slice(), [Output::Update(..)]), "{outputs:?}");
    assert_eq!(bench.state(), LeaseState::Leading);
}

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
    // A promotion that failed is not demoted.
    assert_eq!(lost().tell(Input::Promoted(false), 5), [Output::Read { live: true }]);
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
fn nothing_is_gained_before_the_demotion_ended() {
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
    // It renews while its passes end.
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

// LDR-23: failure is ignored
#[test]
fn a_release_that_fails_ends_the_elector_too() {
    for answer in [Answer::Conflict, Answer::Error] {
        let mut bench = leading();
        bench.tell(Input::Shutdown, 5);
        bench.tell(Input::Drained, 5);
        bench.tell(Input::Demoted, 5);
        assert_eq!(bench.tell(Input::Written(answer), 6), [Output::Released]);
    }
}

// LDR-24: Knative demotes at SIGTERM what was never held
#[test]
fn a_replica_that_stops_without_the_lease_demotes_and_releases_nothing() {
    assert_eq!(waiting().tell(Input::Shutdown, 1), [Output::Released]);
    assert_eq!(Bench::new(elector()).tell(Input::Shutdown, 0), [Output::Released]);
}

// Acquiring: shutdown
#[test]
fn a_replica_that_stops_releases_what_a_pending_write_still_gained() {
    let stopping = || {
        let mut bench = Bench::new(elector());
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
    assert_eq!(bench.tell(Input::Written(Answer::Error), 1), [Output::Read { live: true }]);
    assert!(matches!(bench.tell(read(held_by(ME, 0, 1)), 2).as_slice(), [Output::Release(..)]));
    let (mut bench, _) = stopping();
    bench.tell(Input::Written(Answer::Conflict), 1);
    assert_eq!(bench.tell(read(held_by("other", 0, 1)), 2), [Output::Released]);
    let (mut bench, _) = stopping();
    bench.tell(Input::Written(Answer::Error), 1);
    assert_eq!(bench.tell(Input::Read(Answer::Error), 2), [Output::Released]);
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
    // Between two tries there is nothing to wait for.
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

fn overlap(until: u64) -> Overlap {
    Overlap { lease: "comp.00-of-01".into(), until: at(until) }
}

// LDR-33
#[test]
fn nothing_is_gained_while_another_number_of_buckets_is_in_use() {
    let mut bench = Bench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    assert_eq!(bench.tell(Input::Overlap(Some(overlap(30))), 0), []);
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(absent(), 0), []);
    assert_eq!(bench.tell(Input::Watched(None), 9), []);
    assert_eq!(bench.tell(Input::Timer, 29), [Output::Read { live: false }]);
    assert_eq!(bench.tell(absent(), 29), []);
    assert!(matches!(bench.tell(Input::Watched(None), 30).as_slice(), [Output::Create(_)]));
    // At once when the last of them is released.
    let mut bench = Bench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    bench.tell(Input::Overlap(Some(overlap(30))), 0);
    bench.tell(Input::Start, 0);
    bench.tell(absent(), 0);
    assert!(matches!(bench.tell(Input::Overlap(None), 1).as_slice(), [Output::Create(_)]));
}

/// Gained the lease, and looks for overlapping ones.
fn checking() -> Bench {
    let mut bench = Bench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(absent(), 0));
    assert_eq!(bench.done(&write, 1, 0), [Output::CheckOverlap]);
    assert_eq!(bench.state(), LeaseState::Promoting);
    bench
}

// LDR-33
#[test]
fn a_lease_is_released_when_an_overlapping_one_appeared_before_the_promotion() {
    assert_eq!(checking().tell(Input::OverlapChecked(Answer::Ok(None)), 1), [Output::Promote(term(0, 0))]);
    let mut bench = checking();
    let release = written(&bench.tell(Input::OverlapChecked(Answer::Ok(Some(overlap(60)))), 1));
    assert_eq!(bench.done(&release, 2, 1), []);
    // Its own release, and that of the other, do not make it try before the jittered period.
    assert_eq!(bench.tell(Input::Watched(Some(held_by("", 0, 3))), 2), []);
    assert_eq!(bench.tell(Input::Overlap(None), 2), []);
    assert!(bench.timer.unwrap() >= at(11));
    let now = bench.timer.unwrap();
    bench.fire();
    let outputs = bench.elector.handle(read(held_by("", 0, 3)), now);
    assert!(matches!(outputs.as_slice(), [Output::Update(..)]), "{outputs:?}");
}

// LDR-33
#[test]
fn the_check_is_repeated_until_it_is_answered_while_the_lease_is_renewed() {
    let mut bench = checking();
    assert_eq!(bench.tell(Input::OverlapChecked(Answer::Error), 4), []);
    assert_eq!(bench.timer, Some(at(10)));
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 10), [Output::Renewed(term(0, 10))]);
    assert_eq!(bench.timer, Some(at(14)));
    assert_eq!(bench.fire(), [Output::CheckOverlap]);
    // Stops: nothing was promoted, so nothing is demoted.
    assert_eq!(bench.tell(Input::Shutdown, 15), []);
    assert!(matches!(bench.tell(Input::OverlapChecked(Answer::Ok(None)), 16).as_slice(), [Output::Release(..)]));
}

// LDR-35
#[test]
fn a_replica_with_its_share_takes_what_stays_free_for_two_lease_durations() {
    let free = || held_by("", 0, 5);
    let mut bench = Bench::new(elector());
    bench.tell(Input::Room(false), 0);
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(read(free()), 0), []);
    assert_eq!(bench.sees(&free(), 119), []);
    assert!(matches!(bench.sees(&free(), 120).as_slice(), [Output::Update(..)]));
    // An expired lease is free since its end.
    let mut bench = waiting();
    bench.tell(Input::Room(false), 0);
    assert_eq!(bench.sees(&held_by("other", 2, 5), 179), []);
    assert!(matches!(bench.sees(&held_by("other", 2, 5), 180).as_slice(), [Output::Update(..)]));
    // One that got room takes it at once.
    let mut bench = Bench::new(elector());
    bench.tell(Input::Room(false), 0);
    bench.tell(Input::Start, 0);
    bench.tell(absent(), 0);
    assert!(matches!(bench.tell(Input::Room(true), 1).as_slice(), [Output::Create(_)]));
}

#[test]
fn a_timer_that_fires_too_early_is_set_again() {
    let mut bench = leading();
    assert_eq!(bench.timer.take(), Some(at(10)));
    assert_eq!(bench.tell(Input::Timer, 4), []);
    assert_eq!(bench.timer, Some(at(10)));
}

#[test]
fn answers_that_nobody_asked_for_change_nothing() {
    let mut bench = leading();
    for input in [absent(), Input::Written(Answer::Conflict), Input::OverlapChecked(Answer::Ok(Some(overlap(50))))] {
        assert_eq!(bench.tell(input, 1), []);
    }
    for input in [Input::Promoted(false), Input::Drained, Input::Demoted] {
        assert_eq!(bench.tell(input, 1), []);
    }
    assert_eq!(bench.state(), LeaseState::Leading);
}
