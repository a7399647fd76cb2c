//! The context of a pass.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kubewright_core::backoff::PersistedBackoff;
use kubewright_core::flow::{
    Conclusion, Delay, Flow, KeyMemory, PassReport, PassTimes, Persist, Prior, PriorWait, WaitingMark, apply_deadline, conclude,
    persist, report,
};
use kubewright_core::time::Moment;
use kubewright_core::why::{Causes, PassRecord, PassWrites, QueuedBy, WriteVerb};
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::gate::ReplicaRole;
use super::one_pass::OnePassOutcome;
use super::shared::Shared;
use super::{LeaderTerm, QueueHandle};
use crate::cluster::{Verb, Write, WriteObserver};

/// The facts about a pass at its beginning.
pub(super) struct PassBegin {
    pub(super) key: Key,
    pub(super) trace: Arc<str>,
    pub(super) span: Option<NonZero<u64>>,
    pub(super) started: Moment,
    pub(super) causes: Causes,
    /// The trace id of the last pass of the key.
    pub(super) before: Option<Arc<str>>,
    pub(super) role: ReplicaRole,
}

/// One pass of a reconciler.
pub struct PassContext {
    shared: Arc<Shared>,
    key: Key,
    trace: Arc<str>,
    span: Option<NonZero<u64>>,
    started: Moment,
    causes: Causes,
    /// The trace ids of earlier passes that caused this one.
    links: Vec<Arc<str>>,
    writes: Mutex<PassWrites>,
    role: ReplicaRole,
    cancelled: CancellationToken,
    recheck: Mutex<Option<Delay>>,
    /// The delay of a persisted back-off, if it applies.
    persisted: Mutex<Option<Delay>>,
    forgotten: AtomicBool,
    /// True once code of the operator's author was called.
    called: AtomicBool,
    /// The pipeline step that the pass last reached.
    step: Mutex<Option<Arc<str>>>,
    /// The outcome, for a caller that needs it besides the conclusion.
    kept: Option<Mutex<Option<OnePassOutcome>>>,
}

impl PassContext {
    pub(super) fn new(shared: Arc<Shared>, begin: PassBegin) -> Self {
        let PassBegin { key, trace, span, started, causes, before, role } = begin;
        let cancelled = match &role {
            ReplicaRole::Leader(_, of_term) => of_term.child_token(),
            ReplicaRole::Only | ReplicaRole::Observer(_) => shared.cancel.child_token(),
        };
        let links = before.filter(|_| causes.iter().any(QueuedBy::is_own)).into_iter().collect();
        let (writes, recheck, forgotten) = (Mutex::default(), Mutex::new(None), AtomicBool::new(false));
        Self {
            shared,
            key,
            trace,
            span,
            started,
            causes,
            links,
            writes,
            role,
            cancelled,
            recheck,
            forgotten,
            called: AtomicBool::new(false),
            step: Mutex::default(),
            persisted: Mutex::default(),
            kept: None,
        }
    }

    /// Keeps the outcome for [`seen`](Self::seen).
    pub(super) fn keep_outcome(mut self) -> Self {
        self.kept = Some(Mutex::new(None));
        self
    }

    /// Returns true if code of the operator's author was called, and the outcome if it was kept.
    pub(super) fn seen(&self) -> (bool, Option<OnePassOutcome>) {
        let outcome = self.kept.as_ref().and_then(|kept| kept.lock().take());
        (self.called.load(Ordering::Relaxed), outcome)
    }

    /// Records that the pass has reached a step of a pipeline (STEP-10).
    pub(crate) fn reached_step(&self, step: &str) {
        *self.step.lock() = Some(step.into());
    }

    /// Returns the step that the pass last reached.
    pub(super) fn last_step(&self) -> Option<Arc<str>> {
        self.step.lock().clone()
    }

    /// Measures a step of a pipeline (STEP-10).
    pub(crate) fn step_took(&self, pipeline: &'static str, step: &str, took: Duration) {
        self.shared.counted.step_took(pipeline, step, took);
    }

    /// Records that code of the operator's author is about to be called.
    pub(crate) fn calls_method(&self) {
        self.called.store(true, Ordering::Relaxed);
    }

    /// Returns the key of the object of the pass.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the trace id, which identifies the pass in logs: 32 hexadecimal digits (RUN-3).
    pub fn trace_id(&self) -> &str {
        &self.trace
    }

    /// Returns the causes of the pass (WHY-1).
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// Records a write of the pass that a server answered with success. The subresource is empty for the object itself.
    pub fn wrote(&self, verb: WriteVerb, kind: &GroupKind, key: &Key, subresource: &str) {
        self.writes.lock().add(verb, kind, key, subresource);
    }

    /// Counts a panic of the reconciler's code.
    pub fn count_panic(&self) {
        self.shared.counted.panicked();
    }

    /// Counts a pass whose object is an own write that no watch event has shown yet.
    pub fn count_read_ahead(&self) {
        self.shared.counted.read_ahead();
    }

    /// Returns the moment at which the pass started.
    pub fn started(&self) -> Moment {
        self.started
    }

    /// Returns the token that is cancelled when the pass should end soon: at shutdown, or because its term has ended. Its outcome is not recorded then.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Returns the term in which the pass runs; None without leadership, and for a pass that only observes.
    pub fn term(&self) -> Option<&Arc<LeaderTerm>> {
        match &self.role {
            ReplicaRole::Leader(term, _) => Some(term),
            ReplicaRole::Only | ReplicaRole::Observer(_) => None,
        }
    }

    /// Returns true if this replica leads the key. If it does not, writes of the pass are rejected.
    pub fn leads(&self) -> bool {
        !matches!(self.role, ReplicaRole::Observer(_))
    }

    pub(super) fn role(&self) -> &ReplicaRole {
        &self.role
    }

    /// Returns true if the pass ran in a term that has ended: another replica may work on its object.
    pub fn has_lost_term(&self) -> bool {
        self.term().is_some_and(|term| term.is_over())
    }

    /// Returns true if the outcome of the pass must be ignored, because it was cancelled or its term has ended.
    pub fn is_void(&self) -> bool {
        self.cancelled.is_cancelled() || self.has_lost_term()
    }

    /// Returns the handle that queues keys of the same controller.
    pub fn enqueue(&self) -> QueueHandle {
        QueueHandle::new(self.shared.clone())
    }

    /// Sets the UID of the object that the key stands for now, and drops the memory of another object of the same name.
    pub fn object(&self, uid: &str) {
        self.shared.memory(&self.key, |memory| {
            memory.of(uid);
        });
    }

    /// Drops the memory and the timers of an object that is deleted.
    pub fn forget(&self) {
        self.forgotten.store(true, Ordering::Relaxed);
        self.shared.forget(&self.key);
    }

    /// Returns the number of consecutive failures before this pass.
    pub fn failures(&self) -> u32 {
        self.shared.memory(&self.key, |memory| memory.failures())
    }

    /// Repeats the pass no later than after this time, whatever its outcome. The smallest delay of several calls counts.
    pub fn recheck_after(&self, delay: Delay) {
        let mut recheck = self.recheck.lock();
        *recheck = Some(recheck.map_or(delay, |earlier| earlier.min(delay)));
    }

    /// Applies the deadline of the wait that an outcome leaves pending (STEP-9). `before` is the wait that the object records; a kind without conditions uses
    /// the memory of its key. A pass that was cancelled keeps its outcome.
    pub(crate) fn apply_deadline(&self, outcome: Flow, before: PriorWait, generation: Option<i64>) -> (Flow, WaitingMark) {
        if self.is_void() {
            return (outcome, WaitingMark::Keep);
        }
        let now = self.shared.clock.now();
        match before {
            PriorWait::Condition(before) => apply_deadline(outcome, before.as_ref(), generation, now),
            PriorWait::Memory => self.remembering(|memory| {
                let (outcome, mark) = apply_deadline(outcome, memory.waiting(), generation, now);
                memory.mark_waiting(&mark);
                (outcome, mark)
            }),
        }
    }

    /// Decides the change of the delay that is stored in the status, and applies the next delay to the schedule of this pass (BO-11). Returns None for a pass
    /// that was cancelled.
    pub(crate) fn persist(&self, outcome: &Flow, policy: &PersistedBackoff, stored: Option<&Value>) -> Option<(Persist, Delay)> {
        if self.is_void() {
            return None;
        }
        let limits = self.shared.limits.lock();
        let persist = self.remembering(|memory| persist(outcome, memory, limits.timing(), self.started));
        let next = policy.next(stored);
        *self.persisted.lock() = (persist == Persist::Grow).then_some(next);
        Some((persist, next))
    }

    /// Returns the conditions and the event of an outcome, without counting it yet. Returns None for a pass that was cancelled, which reports nothing.
    pub fn report(&self, outcome: &Flow, prior: &Prior) -> Option<PassReport> {
        if self.is_void() {
            return None;
        }
        let limits = self.shared.limits.lock();
        Some(self.remembering(|memory| report(outcome, memory, prior, limits.timing())))
    }

    /// Counts an outcome with its report, and returns when the key runs again. It is called once per pass, after everything is written. A pass that was
    /// cancelled meanwhile is not counted.
    pub fn conclude(&self, outcome: &Flow, report: PassReport) -> Conclusion {
        if self.is_void() {
            return Conclusion::cancelled();
        }
        if let Some(kept) = &self.kept {
            *kept.lock() = Some(OnePassOutcome::of(outcome));
        }
        let pass = PassTimes {
            started: self.started,
            ended: self.shared.now(),
            recheck: *self.recheck.lock(),
            persisted: *self.persisted.lock(),
        };
        let mut limits = self.shared.limits.lock();
        self.remembering(|memory| conclude(outcome, report, memory, &mut limits, &pass))
    }

    /// Reports and counts an outcome at once, for a reconciler whose objects show the outcome already.
    pub fn end(&self, outcome: &Flow) -> Conclusion {
        match self.report(outcome, &Prior::Memory) {
            Some(report) => self.conclude(outcome, report),
            None => Conclusion::cancelled(),
        }
    }

    /// Keeps the record of the pass for the pages that explain passes.
    pub(super) fn remember(&self, conclusion: &Conclusion) {
        let took = self.shared.now().since(self.started);
        let started = self.shared.clock.now().saturating_sub(SignedDuration::try_from(took).unwrap_or(SignedDuration::MAX));
        let is_gone = self.forgotten.load(Ordering::Relaxed);
        let started = started.unwrap_or(Timestamp::MIN);
        let mut record = PassRecord::new(self.trace.clone(), started, took, self.causes.clone(), conclusion, is_gone);
        record.span = self.span;
        record.step = self.last_step();
        record.writes = std::mem::take(&mut self.writes.lock());
        record.links.clone_from(&self.links);
        self.shared.remember(&self.key, record);
    }

    /// Uses the memory of the key, or an empty one if the object is deleted, about which nothing is remembered.
    fn remembering<T>(&self, use_it: impl FnOnce(&mut KeyMemory) -> T) -> T {
        if self.forgotten.load(Ordering::Relaxed) {
            return use_it(&mut KeyMemory::default());
        }
        self.shared.memory(&self.key, use_it)
    }
}

/// Records the writes of the clients that the operator hands out.
impl WriteObserver for PassContext {
    fn wrote(&self, write: &Write<'_>) {
        let verb = match write.verb {
            Verb::Create => WriteVerb::Created,
            Verb::Update => WriteVerb::Updated,
            Verb::Delete => WriteVerb::Deleted,
            _ => WriteVerb::Patched,
        };
        Self::wrote(self, verb, write.kind, write.key, write.subresource);
    }
}

impl fmt::Debug for PassContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassContext").field("key", &self.key).field("started", &self.started).finish_non_exhaustive()
    }
}
