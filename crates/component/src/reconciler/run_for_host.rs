//! Passes of the engine inside passes of reconcilers of the operator's author.

use std::time::Duration;

use kubewright_core::component::{ComponentState, ComponentStatus, RecordedEnd};
use kubewright_core::dependents::{Inventory, Item};
use kubewright_core::flow::{Blocked, Flow, Halt, Reason, Wait};
use kubewright_core::seconds::Seconds;
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_machinery::patch::merge_patch;
use serde_json::Value;

use super::begin::BegunPass;
use super::end::EnginePassEnd;
use super::finish::UnrecordedPass;
use super::next_pass::EnginePassOutcome;
use super::pass::EnginePass;
use super::{Host, SharedPassState};
use crate::record::{Persisted, change};

/// The request of a host to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRequest {
    /// Bring the dependents to the rendered set.
    Apply,
    /// Delete all dependents.
    Delete,
}

/// The end of a pass in the pass of a host.
#[derive(Debug)]
pub(crate) struct Hosted {
    /// The part of the status that the host is to write.
    pub(crate) part: ComponentStatus,
    /// The outcome as the flow of a step.
    pub(crate) flow: Flow,
    /// The maximum delay of the next pass.
    pub(crate) recheck: Option<Duration>,
}

impl SharedPassState {
    /// Processes the dependents of an object inside a pass of its own reconciler. `part` is the part of its status as that pass has it.
    pub(crate) async fn run_hosted(
        &self,
        (host, key): (&dyn Host, &Key),
        object: Value,
        part: &ComponentStatus,
        task: HostRequest,
    ) -> Hosted {
        if !self.leftovers.is_empty(key) {
            self.leftovers.listed(key, &applied(&Persisted::at(host.status_path(), &object).component().inventory));
        }
        let is_terminating = object.deletion_timestamp().is_some();
        let begun = BegunPass::of_host(self, (host, key), object, part, task == HostRequest::Delete);
        begun.run().await.hand_back(is_terminating)
    }
}

/// Returns the items of a persisted inventory whose objects were written before it. A status that was written after they were created lists
/// them.
fn applied(inventory: &Inventory) -> Inventory {
    let is_applied = |item: &&Item| item.last_applied_at.is_some();
    Inventory::new(inventory.items().iter().filter(is_applied).cloned().collect()).0
}

impl UnrecordedPass<'_> {
    /// Converts the end of the pass into the answer to the host, which writes the part of the status together with its own fields.
    fn hand_back(self, is_terminating: bool) -> Hosted {
        let Self { mut pass, end, reached } = self;
        let is_over = matches!(end, EnginePassEnd::Gone);
        let (end, flow, recheck) = end.into_parts();
        pass.count_failure(&flow);
        pass.shared.events.changed(&pass.object, pass.tally);
        let mut outcome = EnginePassOutcome { flow: pass.spread(flow), recheck, gone: is_over };
        let Some(end) = end else {
            pass.try_again_soon(&mut outcome);
            let EnginePassOutcome { flow, recheck, .. } = outcome;
            // An object that stays starts with an empty part.
            let is_new = is_over && pass.is_deleting() && !is_terminating;
            let part = if is_new { ComponentStatus::default() } else { pass.persisted.component() };
            // Without the object there is nothing left to do.
            let flow = if is_over && !pass.is_deleting() { Err(Halt::Done) } else { flow };
            return Hosted { part, flow, recheck };
        };
        pass.conclude(&end, &reached);
        pass.draft.component.redact(pass.shared.cluster.redactor());
        if matches!(end, RecordedEnd::Incomplete(_)) {
            outcome.recheck = Some(reached.intervals.requeue);
        }
        pass.schedule(&end, &mut outcome, &reached);
        let EnginePassOutcome { flow, recheck, .. } = outcome;
        Hosted { flow: pass.told(&end, flow), part: pass.part(), recheck }
    }
}

impl EnginePass<'_> {
    /// Returns the outcome as the flow of a step (RND-4).
    fn told(&self, end: &RecordedEnd, flow: Flow) -> Flow {
        let status = &self.draft.component;
        let reason = || Reason::new(status.reason().to_owned());
        match end {
            RecordedEnd::Suspended => Wait::for_event(reason()).message(status.message()).into(),
            RecordedEnd::Incomplete(_) if status.state == Some(ComponentState::Error) => {
                Blocked::new(reason(), status.message()).into()
            }
            RecordedEnd::Incomplete(_) => Wait::for_event(reason()).message(status.message()).into(),
            _ => flow,
        }
    }

    /// Returns the part of the status at the end of the pass. It is the persisted one if only times differ (STA-5).
    fn part(&self) -> ComponentStatus {
        let (persisted, started) = (self.persisted.read(), Seconds::from(self.now).to_string());
        let Some(change) = change(persisted.clone(), self.draft.to_map(), &started) else {
            return self.persisted.component();
        };
        let mut part = Value::Object(persisted);
        merge_patch(&mut part, &serde_json::from_str(&change).unwrap_or_default());
        serde_json::from_value(part).unwrap_or_else(|_| self.draft.component.clone())
    }
}
