//! An elector and its inputs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::lease::*;
use crate::time::{Moment, Timestamp};

pub(super) const ME: &str = "me";
pub(super) const SEED: u64 = 7;

pub(super) fn at(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

pub(super) fn elector() -> Elector {
    Elector::new(ME, LeaseTiming::default(), false, SEED)
}

pub(super) fn seen(record: LeaseRecord, version: u64) -> ObservedLease {
    ObservedLease { record, resource_version: version.to_string().into(), object: Arc::new(Value::Null) }
}

pub(super) fn held_by(holder: &str, transitions: u32, version: u64) -> ObservedLease {
    let renewed = Timestamp::from_second(version as i64).ok();
    seen(LeaseRecord { holder: holder.into(), duration_seconds: Some(60), acquired: None, renewed, transitions }, version)
}

/// An elector with the requests, hooks and timers that it requested.
pub(super) struct ElectorBench {
    pub(super) elector: Elector,
    pub(super) timer: Option<Moment>,
}

impl ElectorBench {
    pub(super) fn new(elector: Elector) -> Self {
        Self { elector, timer: None }
    }

    /// Returns the outputs of the elector, without timers.
    pub(super) fn tell(&mut self, input: Input, seconds: u64) -> Vec<Output> {
        self.handle(input, at(seconds))
    }

    /// Fires the timer.
    pub(super) fn fire(&mut self) -> Vec<Output> {
        let at = self.timer.take().unwrap();
        self.handle(Input::Timer, at)
    }

    fn handle(&mut self, input: Input, now: Moment) -> Vec<Output> {
        let mut outputs = self.elector.handle(input, now);
        outputs.retain(|output| {
            if let Output::Timer(at) = output {
                self.timer = Some(*at);
            }
            !matches!(output, Output::Timer(_))
        });
        outputs
    }

    /// Delivers this lease by the watch, and by a read if one is due.
    pub(super) fn sees(&mut self, lease: &ObservedLease, seconds: u64) -> Vec<Output> {
        match self.tell(Input::Watched(Some(lease.clone())), seconds).as_slice() {
            [Output::Read { .. }] => self.tell(read(lease.clone()), seconds),
            outputs => outputs.to_vec(),
        }
    }

    pub(super) fn state(&self) -> LeaseState {
        self.elector.state()
    }

    /// Answers a write with success.
    pub(super) fn done(&mut self, write: &LeaseWrite, version: u64, seconds: u64) -> Vec<Output> {
        let stored = seen(write.record(Timestamp::from_second(seconds as i64).unwrap()), version);
        self.tell(Input::Written(LeaseAnswer::Ok(stored)), seconds)
    }
}

pub(super) fn absent() -> Input {
    Input::Read(LeaseAnswer::Ok(None))
}

pub(super) fn read(lease: ObservedLease) -> Input {
    Input::Read(LeaseAnswer::Ok(Some(lease)))
}

pub(super) fn written(outputs: &[Output]) -> LeaseWrite {
    match outputs {
        [.., Output::Create(write) | Output::Update(write, _) | Output::Release(write, _)] => write.clone(),
        other => panic!("no write: {other:?}"),
    }
}

pub(super) fn term(epoch: u64, sent: u64) -> Term {
    Term { epoch, valid_until: at(sent + 40), safe_until: at(sent + 60) }
}

pub(super) fn overlap(until: u64) -> Overlap {
    Overlap { lease: "comp.00-of-01".into(), until: at(until) }
}

/// Returns a bench that holds the lease since second 0, not promoted yet.
pub(super) fn promoting() -> ElectorBench {
    let mut bench = ElectorBench::new(elector());
    assert_eq!(bench.tell(Input::Start, 0), [Output::Read { live: false }]);
    let outputs = bench.tell(absent(), 0);
    assert_eq!(bench.done(&written(&outputs), 1, 0), [Output::Promote(term(0, 0))]);
    bench
}

/// Returns a bench that leads since second 0.
pub(super) fn leading() -> ElectorBench {
    let mut bench = promoting();
    assert_eq!(bench.tell(Input::Promoted(true), 0), [Output::Activate(term(0, 0))]);
    bench
}

/// Returns a bench that campaigns since second 0 against a holder whose lease was version 5.
pub(super) fn waiting() -> ElectorBench {
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(read(held_by("other", 2, 5)), 0), []);
    assert_eq!(bench.state(), LeaseState::Waiting);
    bench
}
