//! One pass: the actions that `next` selects, until it ends (flow-and-contract.md, 13.5).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use kubewright_core::condition::{Condition, ConditionStatus, REQUIRES_UPDATE, UP_TO_DATE, UPDATE_HELD};
use kubewright_core::contract::{
    ComponentLoopAction, ComponentLoopEnd, ComponentLoopState, EdgeTarget, Observation, Progress, RECONCILE, Release, next,
    usable,
};
use kubewright_core::flow::{Classified, Failure, Flow, Halt, Joined, Origin, join};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::controller::WriteVerb;
use kubewright_runtime::reconcile::Context;
use serde_json::Value;

use super::give_up::Releasing;
use super::{ComponentLoop, PassStatus};
use crate::context::{ApplyContext, CleanupContext, ComponentPass, Said};
use crate::controller::{ComponentController, Maybe, Ready};
use crate::declaration::{ContractComponent, ContractMember, Edges as _, Found};

/// The maximum number of actions in one pass: more than are needed to place and release all finalizers several times.
const MOST_ACTIONS: usize = 32;

/// The finalizer of objects that are deleted after all that they own.
const FOREGROUND: &str = "foregroundDeletion";

type Component<C> = <C as ComponentController>::Component;

/// One observation of a component and the targets of its edges.
struct ComponentObservation {
    object: Value,
    own: Observation,
    targets: Vec<EdgeTarget>,
    found: Vec<Option<Found>>,
    /// The digest of the versions of the targets.
    versions: u64,
}

impl<C: ComponentController> ComponentLoop<C> {
    /// Runs one pass, deleting or not.
    pub(super) async fn pass(&self, cx: &Context<Component<C>>, status: &mut PassStatus<Component<C>>) -> Flow {
        let (mut outcome, mut releasing) = (Ok(()), Releasing::default());
        for _ in 0..MOST_ACTIONS {
            let Some(observation) = self.look(cx) else { return silent(cx, status) };
            if observation.own.is_deleting && self.is_forced(&observation.object) {
                releasing.release = Release::Forced;
            }
            let state = ComponentLoopState {
                own: Some(observation.own.clone()),
                finalizers: self.finalizers.clone(),
                keep_running: Component::<C>::KEEP_RUNNING,
                targets: observation.targets.clone(),
                release: releasing.release,
                progress: releasing.progress,
            };
            match next(&state, &self.terms.format) {
                ComponentLoopAction::ConsumeReconcile => {
                    if !cx.consume_annotation(self.terms.format.operation(), RECONCILE).await? {
                        return silent(cx, status); // the object is gone
                    }
                }
                ComponentLoopAction::PlaceOwnFinalizer => match cx.hold().await {
                    Ok(()) => {}
                    Err(Halt::Done) => return silent(cx, status), // the object is gone or going
                    Err(halt) => return Err(halt.context("failed to set finalizers")),
                },
                ComponentLoopAction::PlaceDependencyFinalizers(indices) => {
                    for (target, found) in self.at(&observation, &indices) {
                        let placed = target.place(found).await;
                        if placed.map_err(|halt| halt.context("failed to set dependency finalizers"))? {
                            cx.note_write(WriteVerb::Patched, &target.kind(), cx.key());
                        }
                    }
                }
                ComponentLoopAction::Apply => {
                    outcome = self.apply(cx, status, &observation).await;
                    releasing.progress = Progress::Applied;
                }
                ComponentLoopAction::CleanUp => {
                    outcome = self.cleanup(cx, status, &observation).await;
                    self.after_cleanup(cx, &observation.object, &outcome, &mut releasing);
                }
                ComponentLoopAction::ReleaseDependencies(indices) => {
                    self.release_dependencies(cx, &observation, &indices).await?
                }
                ComponentLoopAction::ReleaseOwnFinalizer => {
                    if releasing.progress == Progress::Begun
                        && let Some(wait) = ComponentLoopEnd::Depending(observation.own.depending.clone()).wait()
                    {
                        // The release is forced although components still depend on it.
                        self.after_cleanup(cx, &observation.object, &wait.into(), &mut releasing);
                    }
                    cx.release().await.map_err(|halt| halt.context("failed to clear finalizers"))?;
                    self.forget_dangling(&observation.own);
                    if let Some(event) = releasing.event {
                        cx.recorder().record(event);
                    }
                    return silent(cx, status);
                }
                ComponentLoopAction::End(ComponentLoopEnd::Untouched) => return silent(cx, status),
                ComponentLoopAction::End(end @ ComponentLoopEnd::Depending(_)) => {
                    if self.remove_dangling(cx, &observation.object, &observation.own).await? && cx.live().await?.is_some() {
                        continue;
                    }
                    status.notes.end = Some(end.clone());
                    return held_back(cx, &end, outcome);
                }
                ComponentLoopAction::End(end) => {
                    status.notes.end = Some(end.clone());
                    return match end {
                        ComponentLoopEnd::Provenance(error) => error.failure(&self.terms.format).into(),
                        ComponentLoopEnd::Applied => outcome,
                        ComponentLoopEnd::CleanupHalted => joined(outcome, &observation.own, self),
                        end => end.wait().map_or(Ok(()), Into::into),
                    };
                }
                next => {
                    let text = format!("the pass cannot do {next:?}");
                    return Failure::msg(text).reason("InternalError").origin(Origin::Bug).into();
                }
            }
        }
        // Other writers undo the changes of the pass.
        Err(Failure::unclassified(Classified::conflict("the component and its dependencies changed all the time")).into())
    }

    /// Observes the component and the targets of its edges. `None` if the component is gone.
    fn look(&self, cx: &Context<Component<C>>) -> Option<ComponentObservation> {
        let (object, format) = (cx.latest()?, &self.terms.format);
        let own = Observation::of(&object, format);
        let found: Vec<Option<Found>> = self.targets.iter().map(|target| target.find(cx.key())).collect();
        let targets = self.targets.iter().zip(&found).map(|(target, found)| EdgeTarget {
            observation: found.as_ref().and_then(|found| target.observe(found, format)),
            ..target.describe()
        });
        let mut versions = DefaultHasher::new();
        for (target, found) in self.targets.iter().zip(&found) {
            found.as_ref().map(|found| target.digest(found)).hash(&mut versions);
        }
        Some(ComponentObservation { targets: targets.collect(), object, own, found, versions: versions.finish() })
    }

    /// Returns the existing targets at these indices.
    fn at<'a>(
        &'a self,
        observation: &'a ComponentObservation,
        indices: &'a [usize],
    ) -> impl Iterator<Item = (&'a dyn crate::declaration::AnyTarget, &'a Found)> + Send {
        indices.iter().filter_map(|index| Some((&**self.targets.get(*index)?, observation.found.get(*index)?.as_ref()?)))
    }

    async fn apply(
        &self,
        cx: &Context<Component<C>>,
        status: &mut PassStatus<Component<C>>,
        observation: &ComponentObservation,
    ) -> Flow {
        let Some(ready) = <Component<C> as ContractMember>::Edges::ready(observation.usable()) else {
            let text = "a dependency that was ready cannot be decoded";
            return Failure::msg(text).reason("InternalError").origin(Origin::Bug).into();
        };
        // Children that the foreground deletion of the component removes must not be created again (KID-6).
        let runs_on = Component::<C>::KEEP_RUNNING && !observation.object.has_finalizer(FOREGROUND);
        let pass = ApplyContext(begin(cx, status, observation, runs_on)?);
        let outcome = self.controller.apply(&pass, Ready(ready)).await;
        end(pass.0, status);
        tell_of_held_children(cx, status, &outcome);
        outcome
    }

    async fn cleanup(
        &self,
        cx: &Context<Component<C>>,
        status: &mut PassStatus<Component<C>>,
        observation: &ComponentObservation,
    ) -> Flow {
        let maybe = <Component<C> as ContractMember>::Edges::maybe(observation.usable());
        let pass = CleanupContext(begin(cx, status, observation, false)?);
        let outcome = self.controller.cleanup(&pass, Maybe(maybe)).await;
        end(pass.0, status);
        match outcome {
            Ok(()) | Err(Halt::Done) => cx.delete_helpers().await.and(outcome),
            outcome => outcome,
        }
    }

    /// Releases the dependency finalizers. A failure does not stop the other releases (CL-5).
    async fn release_dependencies(
        &self,
        cx: &Context<Component<C>>,
        observation: &ComponentObservation,
        indices: &[usize],
    ) -> Flow {
        let mut released = Vec::new();
        for (target, found) in self.at(observation, indices) {
            let outcome = target.release(found).await;
            if let Ok(true) = outcome {
                cx.note_write(WriteVerb::Patched, &target.kind(), cx.key());
            }
            released.push((target.describe().edge.to.as_str(), outcome));
        }
        match join(released) {
            Ok(_) => Ok(()),
            Err(halt) => Err(halt.context("failed to clear dependency finalizers")),
        }
    }
}

impl ComponentObservation {
    /// Returns the targets that a method may see: not those that are ignored, or being deleted without the component's finalizer (CL-3).
    fn usable(&self) -> Vec<Option<Found>> {
        let pairs = self.targets.iter().zip(&self.found);
        pairs.map(|(target, found)| found.clone().filter(|_| is_usable(target))).collect()
    }
}

fn is_usable(target: &EdgeTarget) -> bool {
    usable(target.observation.as_ref(), &target.finalizer).is_ok()
}

/// Creates the pass that a method gets.
fn begin<T: ContractComponent>(
    cx: &Context<T>,
    status: &PassStatus<T>,
    observation: &ComponentObservation,
    runs_on: bool,
) -> Flow<ComponentPass<T>> {
    let component = serde_json::from_value(observation.object.clone())
        .map_err(|error| Failure::backoff(format!("decode the component: {error}")).reason("DecodeFailed").origin(Origin::Bug))?;
    let said = Said {
        statements: status.notes.statements.clone(),
        external: status.status.external.clone(),
        private: status.status.private.clone(),
    };
    Ok(ComponentPass::new(cx.clone(), Arc::new(component), observation.versions, said, runs_on))
}

/// Sets condition `RequiresUpdate` while the update gate holds back children, and resets it when a pass held back none (KID-13).
fn tell_of_held_children<T: ContractComponent>(cx: &Context<T>, status: &mut PassStatus<T>, outcome: &Flow) {
    let held = cx.held_children();
    let is_told = status.status.conditions.get(REQUIRES_UPDATE).is_some();
    let condition = if !held.is_empty() {
        Condition::new(REQUIRES_UPDATE, ConditionStatus::True, UPDATE_HELD, held.join(", "))
    } else if is_told && matches!(outcome, Ok(()) | Err(Halt::Done)) {
        Condition::new(REQUIRES_UPDATE, ConditionStatus::False, UP_TO_DATE, "")
    } else {
        return;
    };
    status.notes.statements.conditions.push(condition);
}

/// Takes over the results of a method.
fn end<T: ContractComponent>(pass: ComponentPass<T>, status: &mut PassStatus<T>) {
    let said = pass.said();
    status.notes.statements = said.statements;
    status.status.external = said.external;
    status.status.private = said.private;
}

/// Ends a pass without a report, after which no more requests are sent.
#[allow(clippy::unnecessary_wraps)] // the outcome of the pass
fn silent<T: ContractComponent>(cx: &Context<T>, status: &mut PassStatus<T>) -> Flow {
    status.notes.is_silent = true;
    cx.leave_status();
    Ok(())
}

/// Returns the outcome while depending components are left: the wait for them, unless `apply` failed in the meantime (TEAR-2).
fn held_back<T>(cx: &Context<T>, end: &ComponentLoopEnd, applied: Flow) -> Flow {
    match applied {
        Err(Halt::Failed(failure)) => return Err(Halt::Failed(failure)),
        Err(halt) => {
            if let Some(delay) = halt.summary().delay {
                cx.recheck_after(delay);
            }
        }
        Ok(()) => {}
    }
    end.wait().map_or(Ok(()), Into::into)
}

/// Returns the outcome of a cleanup. An error in the provenance labels is added to a failure, and turns no other outcome into one (STH-2).
fn joined<C: ComponentController>(outcome: Flow, own: &Observation, of: &ComponentLoop<C>) -> Flow {
    match (outcome, &own.provenance) {
        (Err(Halt::Failed(failure)), Err(error)) => {
            let provenance = error.clone().failure(&of.terms.format);
            join([("cleanup", Err(Halt::Failed(failure))), ("provenance", Err(Halt::Failed(provenance)))])
                .map(|Joined(_): Joined<()>| ())
        }
        (outcome, _) => outcome,
    }
}
