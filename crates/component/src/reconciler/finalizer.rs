//! The finalizer of the component.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::cluster::ApiError;
use kubewright_runtime::finalizer::{FinalizerOutcome, RemovalGuard};
use serde_json::Value;

use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Intervals, Step};
use super::pass::EnginePass;
use crate::observe::{ComponentCache, Underway};
use crate::record::Persisted;

impl EnginePass<'_> {
    /// Adds the operator's finalizer to the component, if it is missing. The pass continues with the answer. A host has finalizers of its own.
    pub(super) async fn add_finalizer(&mut self, intervals: Intervals) -> Step {
        let ComponentKeeper::Own { own, .. } = self.keeper else { return Ok(()) };
        if own.finalizers.holds(&self.object) {
            return Ok(());
        }
        let underway = own.components.begin_write(self.key);
        let settled = own.finalizers.add(&self.object, |live| Persisted::of(live) == self.persisted).await;
        self.finish_write(&own.components, underway, settled, intervals)
    }

    /// Removes the operator's finalizer, the last hold on a deleted component. Only the state that this pass observed loses the finalizer:
    /// dependents that another process has listed in the meantime would be left behind.
    pub(super) async fn remove_finalizer(&mut self, intervals: Intervals) -> Step {
        let ComponentKeeper::Own { own, .. } = self.keeper else { return Ok(()) };
        let underway = own.components.begin_write(self.key);
        let same = |live: &Value| Persisted::of(live) == self.persisted;
        let settled = own.finalizers.remove(&self.object, RemovalGuard::AsSeen, same).await;
        self.finish_write(&own.components, underway, settled, intervals)
    }

    fn finish_write(
        &mut self,
        components: &ComponentCache,
        mut underway: Underway,
        settled: Result<FinalizerOutcome, ApiError>,
        intervals: Intervals,
    ) -> Step {
        match settled {
            Ok(FinalizerOutcome::Unchanged) => Ok(()),
            Ok(FinalizerOutcome::Changed(object)) => {
                self.patched_component("");
                // The answer to the removal of the last finalizer carries the earlier version, so the watch would not treat it as a change.
                if object.deletion_timestamp().is_some() && object.finalizers().next().is_none() {
                    components.record_delete(&object);
                }
                underway.answered(&object);
                self.go_on_with(components, object)
            }
            Ok(FinalizerOutcome::Gone) => Err(Box::new(EnginePassEnd::Gone)),
            Ok(FinalizerOutcome::Dropped(live) | FinalizerOutcome::Deleting(live)) => {
                components.record_write(&live);
                Err(Box::new(EnginePassEnd::Overtaken))
            }
            Ok(_) => Err(Box::new(EnginePassEnd::Overtaken)),
            Err(error) => Err(Box::new(self.request_failed("change the finalizers of the component", error, intervals))),
        }
    }

    /// Continues with an answer if its status is the one that the draft was made from. With another status the pass must start anew, or it would
    /// overwrite the changes of another writer.
    fn go_on_with(&mut self, components: &ComponentCache, object: Value) -> Step {
        if Persisted::of(&object) != self.persisted {
            components.record_write(&object);
            return Err(Box::new(EnginePassEnd::Overtaken));
        }
        self.take_over(object);
        Ok(())
    }
}
