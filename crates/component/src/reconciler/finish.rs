use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_core::component::{ComponentStatus, Ending};
use kubewright_core::flow::{Delay, Flow, Halt};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::status::{Meanwhile, Written};
use serde_json::{Map, Value};

use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;
use crate::record::{LARGEST, Persisted, Size, change, is_too_large, only_messages_differ};

/// The minimum time between two records of passes whose only change is in messages (STA-9).
const MESSAGES_EVERY: Duration = Duration::from_secs(5);

/// The reason of a component that is too large for the API server to store.
const TOO_MANY: &str = "TooManyDependents";

/// The outcome of a pass for the runner.
#[derive(Debug)]
pub(super) struct EnginePassOutcome {
    pub(super) flow: Flow,
    /// The maximum delay of the next pass.
    pub(super) recheck: Option<Duration>,
    /// True if the component turned out to be gone, or released.
    pub(super) gone: bool,
}

impl EnginePass<'_> {
    /// Writes the status, records events, and determines the time of the next pass.
    pub(super) async fn finish(mut self, end: EnginePassEnd) -> EnginePassOutcome {
        let gone = matches!(end, EnginePassEnd::Gone);
        let (ending, flow, recheck) = end.into_parts();
        self.count_failure(&flow);
        let mut outcome = EnginePassOutcome { flow: self.spread(flow), recheck, gone };
        let Some(ending) = ending else {
            self.shared.events.changed(&self.object, self.tally);
            self.try_again_soon(&mut outcome);
            return outcome;
        };
        let before = self.persisted.component();
        self.conclude(&ending);
        match self.record().await {
            Ok(held_back) => {
                if held_back.is_none() {
                    self.tell(&before);
                } else {
                    self.shared.events.changed(&self.object, self.tally);
                }
                outcome.recheck = soonest([outcome.recheck, held_back]);
            }
            Err(end) => {
                let gone = matches!(*end, EnginePassEnd::Gone);
                let (_, flow, recheck) = end.into_parts();
                outcome = EnginePassOutcome { flow: self.spread(flow), recheck, gone };
                self.shared.events.changed(&self.object, self.tally);
            }
        }
        self.schedule(&ending, &mut outcome);
        outcome
    }

    /// Counts a failed pass as an error of the component, unless the failed request was counted already.
    pub(super) fn count_failure(&self, flow: &Flow) {
        if let Err(Halt::Failed(failure)) = flow
            && !self.error_counted
        {
            self.shared.metrics.failed(failure.classification().status);
        }
    }

    /// Updates the draft with the end of the pass.
    pub(super) fn conclude(&mut self, ending: &Ending) {
        self.count_renderings();
        let at = self.ending_context();
        self.draft.component.conclude(ending, &at);
        self.draft.component.contest(self.memory.engine.fights(), self.now, self.shared.started);
        self.draft.component.await_corrections(self.memory.engine.pending(), self.now);
        self.draft.component.lack_fields(self.memory.engine.undeclared(), self.restarted, self.now);
        self.tell_polling(ending);
    }

    /// Determines the time of the next pass after the draft is concluded.
    pub(super) fn schedule(&mut self, ending: &Ending, outcome: &mut EnginePassOutcome) {
        self.shared.metrics.recorded(self.key, &self.draft.component);
        self.observe_metrics();
        let poll = self.until_poll(ending);
        outcome.recheck =
            soonest([outcome.recheck.map(|delay| self.longer(delay)), self.until_timeout(), self.until_wake(), poll]);
        if matches!(ending, Ending::Suspended) {
            outcome.recheck = None;
        }
        if self.transient.is_none() {
            self.memory.transient.reset();
        }
        self.try_again_soon(outcome);
    }

    /// Records that a pass was interrupted, and nothing else of it (PASS-10).
    pub(super) async fn interrupted(mut self, message: String) {
        if self.unreadable.is_some() {
            return;
        }
        if let Ok((_, effective)) = self.read_spec() {
            self.effective = Some(effective);
        }
        let message = match self.memory.inside.take() {
            Some(code) => format!("{message} (in {code})"),
            None => message,
        };
        self.shared.metrics.failed(None);
        let before = self.persisted.component();
        let ending = Ending::Failed { reason: None, message, stalled: None };
        let at = self.ending_context();
        self.draft.component.show(&ending, &at);
        // A status that cannot be written now is written by the next pass, which follows soon.
        if matches!(self.record().await, Ok(None)) {
            self.tell(&before);
        }
        self.shared.metrics.recorded(self.key, &self.draft.component);
    }

    /// Corrects the revision, which counts the digests that were rendered, not those whose rendering was refused or had to wait (PASS-4).
    fn count_renderings(&mut self) {
        let is_rendered = self.memory.rendered.as_ref().is_some_and(|rendered| self.digest.as_deref() == Some(rendered.digest()));
        if !self.is_deleting() && !is_rendered {
            let marks = self.persisted.marks();
            self.draft.component.revision = marks.revision;
            self.draft.component.last_processing_digest = marks.last_processing_digest;
        }
    }

    /// Records the draft. Returns the delay if it must not be written yet.
    async fn record(&mut self) -> Step<Option<Duration>> {
        self.draft.component.redact(self.shared.cluster.redactor());
        let held_back = self.held_back();
        if held_back.is_some() {
            return Ok(held_back);
        }
        let inventory_before = self.draft.component.inventory.clone();
        let Err(end) = self.write_status().await else {
            return Ok(None);
        };
        // With too many dependents the persisted inventory stays, and the status reports the reason.
        if let EnginePassEnd::Recorded { ending: ending @ Ending::Blocked { .. }, .. } = &*end {
            let persisted = self.persisted.component();
            if persisted.inventory != inventory_before {
                self.draft.component.inventory = persisted.inventory;
                let at = self.ending_context();
                self.draft.component.conclude(ending, &at);
                self.write_status().await?;
            }
        }
        Err(end)
    }

    /// Returns the time for which a status with new messages only is held back.
    fn held_back(&self) -> Option<Duration> {
        let written = self.memory.status_written?;
        let status = self.draft.to_map();
        let persisted = self.persisted.read();
        if !only_messages_differ(&persisted, &status) || change(persisted, status, "").is_none() {
            return None;
        }
        let passed = self.shared.cluster.clock().moment().0.saturating_sub(written.0);
        MESSAGES_EVERY.checked_sub(passed).filter(|rest| !rest.is_zero())
    }

    /// Writes the difference to the persisted status.
    pub(super) async fn write_status(&mut self) -> Step {
        self.write_status_with_room(0).await
    }

    /// Writes the difference to the persisted status, provided that the status may grow by so many bytes afterwards. An inventory that does not
    /// fit must be detected before anything is created.
    pub(super) async fn write_status_with_room(&mut self, growth: usize) -> Step {
        self.draft.component.redact(self.shared.cluster.redactor());
        let status = self.status_that_fits(growth)?;
        let started = kubewright_core::seconds::Seconds::from(self.now).to_string();
        // Many components wait for answers at the same time, and statuses are large, so only the text of the change is kept meanwhile.
        let Some(change) = change(self.persisted.read(), status, &started) else {
            return Ok(());
        };
        let (keeper, key) = (self.keeper, self.key);
        let is_deleted = |object: &Value| object.deletion_timestamp().is_some();
        let same = |live: &Value| {
            Persisted::at(keeper.status_path(), live) == self.persisted && is_deleted(live) == is_deleted(&self.object)
        };
        let (mut underway, written) = match keeper {
            ComponentKeeper::Own { own, .. } => {
                let underway = own.components.begin_write(key);
                (Some(underway), own.statuses.write(&self.object, change, Meanwhile::Only(&same)).await)
            }
            ComponentKeeper::Host(host) => (None, host.change_status(&host.status_path().change(&change), &same).await),
        };
        match written {
            Ok(Written::Persisted(object)) => {
                self.patched_component("status");
                self.memory.status_written = Some(self.shared.cluster.clock().moment());
                self.shared.leftovers.listed(self.key, &self.draft.component.inventory);
                if let Some(underway) = &mut underway {
                    underway.answered(&object);
                }
                self.take_over(object);
                Ok(())
            }
            Ok(Written::Gone) => Err(Box::new(EnginePassEnd::Gone)),
            Ok(Written::Overtaken(live)) => {
                if let ComponentKeeper::Own { own, .. } = keeper {
                    own.components.record_write(&live);
                }
                Err(Box::new(EnginePassEnd::Overtaken))
            }
            Ok(_) => Err(Box::new(EnginePassEnd::Overtaken)),
            Err(error) if is_too_large(&error) => {
                let message = format!("the API server refuses the object as too large, with {}", self.dependents_counted());
                Err(Box::new(EnginePassEnd::blocked(TOO_MANY, message, self.intervals())))
            }
            Err(error) => Err(Box::new(self.status_not_written(error))),
        }
    }

    /// Returns the status of the draft, without the messages of single dependents if it is too large otherwise (STA-8).
    fn status_that_fits(&mut self, growth: usize) -> Step<Map<String, Value>> {
        let count = self.draft.component.inventory.len();
        let status = self.draft.to_map();
        let Some(mut size) = Size::of(&self.object, &status, count).filter(|size| !size.grown(growth).fits()) else {
            return Ok(status);
        };
        self.draft.component.inventory.drop_messages();
        let status = self.draft.to_map();
        size = Size::of(&self.object, &status, count).unwrap_or(size).grown(growth);
        if size.fits() {
            return Ok(status);
        }
        let message = format!(
            "the object would have {} bytes with {}, {} of them the status; an API server stores {LARGEST} (split the component)",
            size.total(),
            self.dependents_counted(),
            size.status
        );
        Err(Box::new(EnginePassEnd::blocked(TOO_MANY, message, self.intervals())))
    }

    fn dependents_counted(&self) -> String {
        format!("{} dependents", self.draft.component.inventory.len())
    }

    fn tell(&self, before: &ComponentStatus) {
        let annotations = match self.keeper {
            ComponentKeeper::Own { own, .. } => match own.kind.decode(&self.whole()) {
                Ok(instance) => instance.event_annotations(self.digest.as_deref()),
                Err(_) => BTreeMap::new(),
            },
            ComponentKeeper::Host(_) => BTreeMap::new(),
        };
        self.shared.events.recorded(&self.object, before, &self.draft.component, annotations, self.tally);
    }

    fn until_timeout(&self) -> Option<Duration> {
        if self.is_deleting() {
            return None;
        }
        let end = self.draft.component.times_out_at(self.ending_context().timeout)?;
        self.until(end)
    }

    fn until_wake(&self) -> Option<Duration> {
        self.wake.and_then(|wake| self.until(wake))
    }

    /// Returns the time until an instant, or `None` if it is not in the future. Persisted instants have whole seconds only.
    fn until(&self, instant: Timestamp) -> Option<Duration> {
        let rest = Duration::try_from(instant.duration_since(self.now)).ok()?;
        (!rest.is_zero()).then_some(rest)
    }

    /// Lengthens a wait for a timer.
    pub(super) fn spread(&self, flow: Flow) -> Flow {
        match flow {
            Err(Halt::Wait(wait)) => wait.map_delay(|delay| Delay::at_least_min(self.longer(delay.as_duration()))).into(),
            other => other,
        }
    }

    /// Lengthens a delay by one to five percent, so that components do not run in step (WAIT-2).
    pub(super) fn longer(&self, delay: Duration) -> Duration {
        let percent = 101 + u32::try_from(self.shared.cluster.random().below(5)).unwrap_or(0);
        delay.saturating_mul(percent) / 100
    }
}

impl EnginePassOutcome {
    pub(super) fn delay(&self) -> Option<Delay> {
        self.recheck.map(Delay::at_least_min)
    }
}

fn soonest<const N: usize>(delays: [Option<Duration>; N]) -> Option<Duration> {
    delays.into_iter().flatten().min()
}
