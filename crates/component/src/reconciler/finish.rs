//! The end of a pass: the draft is completed and recorded, events are sent, and the next pass is scheduled.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::component::{ComponentStatus, RecordedEnd};
use kubewright_core::flow::{Flow, Halt};
use kubewright_machinery::object::GroupKind;

use super::begin::BegunPass;
use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Intervals};
use super::next_pass::{EnginePassOutcome, soonest};
use super::pass::EnginePass;
use crate::observe::{DependentWatches, Polled};
use crate::targets::DependentsTarget;

/// The result of a phase: the next phase, or the end of the pass.
pub(super) type PhaseResult<'a, Next> = Result<Next, Box<UnrecordedPass<'a>>>;

/// A pass that has ended and is not recorded yet.
pub(super) struct UnrecordedPass<'a> {
    pub(super) pass: EnginePass<'a>,
    pub(super) end: EnginePassEnd,
    pub(super) reached: PassFindings,
}

/// The facts that a pass had found out when it ended, as far as the end needs them.
pub(super) struct PassFindings {
    /// The intervals of the component, or those that replace them if its settings could not be read or it is suspended.
    pub(super) intervals: Intervals,
    /// The types of references that may not be watched.
    pub(super) unwatched_references: BTreeSet<String>,
    /// The digest of the component. `None` if the pass ended before all references were resolved.
    pub(super) processed: Option<ProcessedDigest>,
    /// The observation of the dependents. `None` if the pass ended before it.
    pub(super) observation: Option<ObservedDependents>,
    /// The time of the next check by the last plan.
    pub(super) wake: Option<Timestamp>,
}

/// The digest of a component that a pass processed.
pub(super) struct ProcessedDigest {
    pub(super) digest: String,
    /// True if the component changed since the last pass.
    pub(super) restarted: bool,
}

/// The dependents as a pass observed them.
pub(super) struct ObservedDependents {
    pub(super) target: Arc<DependentsTarget>,
    /// The watches on the dependents.
    pub(super) watches: DependentWatches,
    /// The dependents of kinds that may not be watched, as they were read.
    pub(super) polled: HashMap<GroupKind, Polled>,
    /// The types of dependents and blockers that may not be watched.
    pub(super) unwatched: BTreeSet<String>,
}

impl Default for PassFindings {
    /// Returns the facts of a pass that ended before its references were looked up.
    fn default() -> Self {
        Self {
            intervals: Intervals::FALLBACK,
            unwatched_references: BTreeSet::new(),
            processed: None,
            observation: None,
            wake: None,
        }
    }
}

impl PassFindings {
    fn digest(&self) -> Option<&str> {
        self.processed.as_ref().map(|processed| processed.digest.as_str())
    }

    fn restarted(&self) -> bool {
        self.processed.as_ref().is_some_and(|processed| processed.restarted)
    }

    /// Returns all types that may not be watched.
    pub(super) fn unwatched(&self) -> BTreeSet<String> {
        let of_dependents = self.observation.iter().flat_map(|observation| &observation.unwatched);
        of_dependents.chain(&self.unwatched_references).cloned().collect()
    }
}

impl UnrecordedPass<'_> {
    /// Writes the status, records events, and determines the time of the next pass.
    pub(super) async fn finish(self) -> EnginePassOutcome {
        let Self { mut pass, end, reached } = self;
        let gone = matches!(end, EnginePassEnd::Gone);
        let (end, flow, recheck) = end.into_parts();
        pass.count_failure(&flow);
        let mut outcome = EnginePassOutcome { flow: pass.spread(flow), recheck, gone };
        let Some(end) = end else {
            pass.shared.events.changed(&pass.object, pass.tally);
            pass.try_again_soon(&mut outcome);
            return outcome;
        };
        let before = pass.persisted.component();
        pass.conclude(&end, &reached);
        match pass.record(reached.intervals).await {
            Ok(held_back) => {
                if held_back.is_none() {
                    pass.tell(&before, reached.digest());
                } else {
                    pass.shared.events.changed(&pass.object, pass.tally);
                }
                outcome.recheck = soonest([outcome.recheck, held_back]);
            }
            Err(end) => {
                let gone = matches!(*end, EnginePassEnd::Gone);
                let (_, flow, recheck) = end.into_parts();
                outcome = EnginePassOutcome { flow: pass.spread(flow), recheck, gone };
                pass.shared.events.changed(&pass.object, pass.tally);
            }
        }
        pass.schedule(&end, &mut outcome, &reached);
        outcome
    }
}

impl BegunPass<'_> {
    /// Records that a pass was interrupted, and nothing else of it (PASS-10).
    pub(super) async fn interrupted(self, message: String) {
        if self.unreadable.is_some() {
            return;
        }
        let mut pass = self.pass;
        let intervals = pass.read_spec().map_or(Intervals::FALLBACK, |component| component.intervals());
        let message = match pass.memory.inside.take() {
            Some(code) => format!("{message} (in {code})"),
            None => message,
        };
        pass.shared.metrics.failed(None);
        let before = pass.persisted.component();
        let end = RecordedEnd::Failed { reason: None, message, stalled: None };
        let at = pass.end_context(intervals);
        pass.draft.component.show(&end, &at);
        // A status that cannot be written now is written by the next pass, which follows soon.
        if matches!(pass.record(intervals).await, Ok(None)) {
            pass.tell(&before, None);
        }
        pass.shared.metrics.recorded(pass.key, &pass.draft.component);
    }
}

impl EnginePass<'_> {
    /// Counts a failed pass as an error of the component, unless the failed request was counted already.
    pub(super) fn count_failure(&self, flow: &Flow) {
        if let Err(Halt::Failed(failure)) = flow
            && !self.error_counted
        {
            self.shared.metrics.failed(failure.classification().status);
        }
    }

    /// Updates the draft with the end of the pass.
    pub(super) fn conclude(&mut self, end: &RecordedEnd, reached: &PassFindings) {
        self.count_renderings(reached.digest());
        let at = self.end_context(reached.intervals);
        self.draft.component.conclude(end, &at);
        self.draft.component.contest(self.memory.engine.fights(), self.now, self.shared.started);
        self.draft.component.await_corrections(self.memory.engine.pending(), self.now);
        self.draft.component.lack_fields(self.memory.engine.undeclared(), reached.restarted(), self.now);
        self.tell_polling(end, reached);
    }

    /// Corrects the revision, which counts the digests that were rendered, not those whose rendering was refused or had to wait (PASS-4).
    fn count_renderings(&mut self, digest: Option<&str>) {
        let is_rendered = self.memory.rendered.as_ref().is_some_and(|rendered| digest == Some(rendered.digest()));
        if !self.is_deleting() && !is_rendered {
            let marks = self.persisted.marks();
            self.draft.component.revision = marks.revision;
            self.draft.component.last_processing_digest = marks.last_processing_digest;
        }
    }

    pub(super) fn tell(&self, before: &ComponentStatus, digest: Option<&str>) {
        let annotations = match self.keeper {
            ComponentKeeper::Own { own, .. } => match own.kind.decode(&self.whole()) {
                Ok(instance) => instance.event_annotations(digest),
                Err(_) => BTreeMap::new(),
            },
            ComponentKeeper::Host(_) => BTreeMap::new(),
        };
        self.shared.events.recorded(&self.object, before, &self.draft.component, annotations, self.tally);
    }
}
