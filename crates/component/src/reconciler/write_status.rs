//! The write of the status, if it changed and fits into the object.

use std::time::Duration;

use kubewright_core::component::RecordedEnd;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::status::{Meanwhile, Written};
use serde_json::{Map, Value};

use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Intervals, Step};
use super::pass::EnginePass;
use crate::record::{LARGEST, Persisted, Size, change, is_too_large, only_messages_differ};

/// The minimum time between two records of passes whose only change is in messages (STA-9).
const MESSAGES_EVERY: Duration = Duration::from_secs(5);

/// The reason of a component that is too large for the API server to store.
const TOO_MANY: &str = "TooManyDependents";

impl EnginePass<'_> {
    /// Records the draft. Returns the delay if it must not be written yet.
    pub(super) async fn record(&mut self, intervals: Intervals) -> Step<Option<Duration>> {
        self.draft.component.redact(self.shared.cluster.redactor());
        let held_back = self.held_back();
        if held_back.is_some() {
            return Ok(held_back);
        }
        let inventory_before = self.draft.component.inventory.clone();
        let Err(end) = self.write_status(intervals).await else {
            return Ok(None);
        };
        // With too many dependents the persisted inventory stays, and the status reports the reason.
        if let EnginePassEnd::Recorded { end: end @ RecordedEnd::Blocked { .. }, .. } = &*end {
            let persisted = self.persisted.component();
            if persisted.inventory != inventory_before {
                self.draft.component.inventory = persisted.inventory;
                let at = self.end_context(intervals);
                self.draft.component.conclude(end, &at);
                self.write_status(intervals).await?;
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
    async fn write_status(&mut self, intervals: Intervals) -> Step {
        self.write_status_with_room(0, intervals).await
    }

    /// Writes the difference to the persisted status, provided that the status may grow by so many bytes afterwards. An inventory that does not
    /// fit must be detected before anything is created.
    pub(super) async fn write_status_with_room(&mut self, growth: usize, intervals: Intervals) -> Step {
        self.draft.component.redact(self.shared.cluster.redactor());
        let status = self.status_that_fits(growth, intervals)?;
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
                Err(Box::new(EnginePassEnd::blocked(TOO_MANY, message, intervals)))
            }
            Err(error) => Err(Box::new(self.status_not_written(error, intervals))),
        }
    }

    /// Returns the status of the draft, without the messages of single dependents if it is too large otherwise (STA-8).
    fn status_that_fits(&mut self, growth: usize, intervals: Intervals) -> Step<Map<String, Value>> {
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
        Err(Box::new(EnginePassEnd::blocked(TOO_MANY, message, intervals)))
    }

    fn dependents_counted(&self) -> String {
        format!("{} dependents", self.draft.component.inventory.len())
    }
}
