//! The pass of a component's controller, decided one action at a time (flow-and-contract.md, 13.5).
//!
//! The caller executes the action that [`next`] returns, puts the server's answer into the state, and asks again, until the pass ends. The state
//! holds all that is known of the cluster, so that any later pass can continue an interrupted one.

use std::collections::BTreeSet;

use super::ComponentType;
use super::format::Format;
use super::graph::{Edge, EdgeKind};
use super::observation::Observation;
use super::operation::Operation;
use super::provenance::InvalidProvenance;
use super::readiness::{NotReady, Requirement, readiness, usable};
use crate::condition::ConditionPolarity;
use crate::flow::Wait;
use crate::reason;

/// The state of a pass: a component and all inputs of its decisions, as currently known.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as the input of a pure function
pub struct ComponentLoopState {
    /// The component; none if it does not exist.
    pub own: Option<Observation>,
    /// The component's own finalizer, and its former names.
    pub finalizers: Vec<String>,
    /// True if the component keeps working while depending components keep it from being deleted.
    pub keep_running: bool,
    /// The components at the other ends of the component's edges.
    pub targets: Vec<EdgeTarget>,
    /// The rule by which the finalizer is released.
    pub release: Release,
    /// The methods of the author that were called in this pass.
    pub progress: Progress,
}

/// The component at the other end of an edge.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as the input of a pure function
pub struct EdgeTarget {
    /// The edge.
    pub edge: Edge,
    /// The conditions that count for the target's readiness, see [`Requirement::conditions`].
    pub conditions: Option<&'static [&'static str]>,
    /// The polarities of the target's declared conditions, see [`Requirement::polarities`].
    pub polarities: Vec<(String, ConditionPolarity)>,
    /// The finalizer that the depending component puts on the target.
    pub finalizer: String,
    /// The target; none if it does not exist.
    pub observation: Option<Observation>,
}

/// The rule by which a deletion ends (FZ-12, FZ-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Release {
    /// The deletion ends after a successful cleanup.
    #[default]
    AfterCleanup,
    /// The deletion ends although the cleanup did not succeed, because the time for it is over. Depending components still hold the component.
    Abandoned,
    /// The deletion ends without a successful cleanup and past depending components, because a user forces it.
    Forced,
}

/// The methods of the author that were called in this pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Progress {
    /// No method.
    #[default]
    Begun,
    /// The method `apply`, whatever its outcome.
    Applied,
    /// The method `cleanup`; true if it succeeded.
    CleanedUp(bool),
}

/// The next action of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentLoopAction {
    /// Removes the annotation `reconcile`.
    ConsumeReconcile,
    /// Puts the own finalizer on the component.
    PlaceOwnFinalizer,
    /// Puts dependency finalizers on these targets, by their index.
    PlaceDependencyFinalizers(Vec<usize>),
    /// Calls `apply`.
    Apply,
    /// Calls `cleanup`.
    CleanUp,
    /// Removes the dependency finalizers from these targets, by their index. A failure at one target does not stop the others.
    ReleaseDependencies(Vec<usize>),
    /// Removes the own finalizer and its former names.
    ReleaseOwnFinalizer,
    /// Ends the pass.
    End(ComponentLoopEnd),
}

/// The end of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentLoopEnd {
    /// The component needs no action, and no further request is sent, not even for the status.
    Untouched,
    /// The provenance labels are invalid.
    Provenance(InvalidProvenance),
    /// These dependencies are absent, not ready, or being deleted.
    Dependencies(Vec<Unready>),
    /// The method `apply` was called, and its outcome is that of the pass.
    Applied,
    /// The component is being deleted, and these components still depend on it.
    Depending(BTreeSet<String>),
    /// The method `cleanup` was called and did not succeed; its outcome is that of the pass.
    CleanupHalted,
    /// These dependencies carry `ignore` and still have finalizers of the component, which are kept.
    IgnoredDependencies(Vec<ComponentType>),
}

/// A dependency that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build this plain pair
pub struct Unready {
    /// The type of the dependency.
    pub type_: ComponentType,
    /// The first reason why the dependency cannot be used.
    pub why: NotReady,
}

/// Decides the next action of a pass.
pub fn next(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    let Some(own) = &state.own else { return ComponentLoopAction::End(ComponentLoopEnd::Untouched) };
    let is_held = state.finalizers.iter().any(|finalizer| own.has_finalizer(finalizer));
    if own.is_ignored() || (own.is_deleting && !is_held) {
        return ComponentLoopAction::End(ComponentLoopEnd::Untouched);
    }
    if own.operation == Some(Operation::Reconcile) {
        return ComponentLoopAction::ConsumeReconcile;
    }
    if own.is_deleting { state.next_of_deletion(own, format) } else { state.next_of_apply(own, is_held, format) }
}

impl ComponentLoopState {
    fn next_of_apply(&self, own: &Observation, is_held: bool, format: &Format) -> ComponentLoopAction {
        if self.progress == Progress::Applied {
            return ComponentLoopAction::End(ComponentLoopEnd::Applied);
        }
        if let Err(error) = &own.provenance {
            return ComponentLoopAction::End(ComponentLoopEnd::Provenance(error.clone()));
        }
        let unready = self.unready(own, format);
        if !unready.is_empty() {
            return ComponentLoopAction::End(ComponentLoopEnd::Dependencies(unready));
        }
        if !is_held {
            return ComponentLoopAction::PlaceOwnFinalizer;
        }
        let unheld = |target: &EdgeTarget| target.present().is_some_and(|found| !found.has_finalizer(&target.finalizer));
        let missing = self.indices(unheld);
        if missing.is_empty() { ComponentLoopAction::Apply } else { ComponentLoopAction::PlaceDependencyFinalizers(missing) }
    }

    fn next_of_deletion(&self, own: &Observation, format: &Format) -> ComponentLoopAction {
        let is_cleaned = match self.progress {
            Progress::CleanedUp(succeeded) => succeeded || self.release != Release::AfterCleanup,
            Progress::Begun | Progress::Applied => false,
        };
        if !own.depending.is_empty() && self.release != Release::Forced {
            // A component that is still needed keeps its objects in line with the spec (TEAR-2).
            let keeps = self.keep_running && self.progress == Progress::Begun && self.unready(own, format).is_empty();
            return if keeps {
                ComponentLoopAction::Apply
            } else {
                ComponentLoopAction::End(ComponentLoopEnd::Depending(own.depending.clone()))
            };
        }
        if !is_cleaned && own.depending.is_empty() {
            return match self.progress {
                Progress::CleanedUp(_) => ComponentLoopAction::End(ComponentLoopEnd::CleanupHalted),
                Progress::Begun | Progress::Applied => ComponentLoopAction::CleanUp,
            };
        }
        let held = self.indices(|target| target.present().is_some_and(|found| found.has_finalizer(&target.finalizer)));
        if !held.is_empty() {
            return ComponentLoopAction::ReleaseDependencies(held);
        }
        let is_ignored = |target: &&EdgeTarget| {
            target.observation.as_ref().is_some_and(|found| found.is_ignored() && found.has_finalizer(&target.finalizer))
        };
        let ignored: Vec<ComponentType> = self.targets.iter().filter(is_ignored).map(|target| target.edge.to).collect();
        if ignored.is_empty() {
            ComponentLoopAction::ReleaseOwnFinalizer
        } else {
            ComponentLoopAction::End(ComponentLoopEnd::IgnoredDependencies(ignored))
        }
    }

    /// Returns the dependencies that keep the component waiting: those that are needed and not ready, and those that are being deleted without the
    /// component's finalizer.
    fn unready(&self, own: &Observation, format: &Format) -> Vec<Unready> {
        let provenance = own.provenance.as_ref().ok().copied();
        let unready = self.targets.iter().filter_map(|target| {
            let found = match target.edge.kind {
                EdgeKind::Needs(revision) => {
                    let requirement = Requirement {
                        type_: target.edge.to,
                        revision,
                        conditions: target.conditions,
                        polarities: &target.polarities,
                        own: provenance,
                        finalizer: &target.finalizer,
                    };
                    readiness(target.observation.as_ref(), &requirement, format)
                }
                EdgeKind::OutlivedBy => match usable(target.observation.as_ref(), &target.finalizer) {
                    Err(NotReady::Deleting) => Err(NotReady::Deleting),
                    _ => Ok(()),
                },
            };
            found.err().map(|why| Unready { type_: target.edge.to, why })
        });
        unready.collect()
    }

    fn indices(&self, is_meant: impl Fn(&EdgeTarget) -> bool) -> Vec<usize> {
        self.targets.iter().enumerate().filter(|(_, target)| is_meant(target)).map(|(index, _)| index).collect()
    }
}

impl EdgeTarget {
    /// Returns the target, unless it carries `ignore`.
    fn present(&self) -> Option<&Observation> {
        self.observation.as_ref().filter(|found| !found.is_ignored())
    }
}

impl ComponentLoopEnd {
    /// Returns the wait that the pass ends with; none for ends that are not waits.
    pub fn wait(&self) -> Option<Wait> {
        match self {
            Self::Dependencies(unready) => {
                let lines: Vec<String> = unready.iter().map(|unready| format!("{}: {}", unready.type_, unready.why)).collect();
                let message = format!("waiting for dependencies: {}", lines.join("; "));
                Some(Wait::for_event(reason!("WaitingForDependencies")).message(message))
            }
            Self::Depending(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let message = format!("the deletion waits for depending components: {}", names.join(", "));
                Some(Wait::for_event(reason!("DeletionWaitingForDependingComponents")).message(message))
            }
            Self::IgnoredDependencies(types) => {
                let names: Vec<&str> = types.iter().map(|type_| type_.as_str()).collect();
                let names = names.join(", ");
                let message =
                    format!("the dependency finalizers stay on ignored dependencies: {names}; remove their operation annotation");
                Some(Wait::for_event(reason!("DependencyIgnored")).message(message))
            }
            Self::Untouched | Self::Provenance(_) | Self::Applied | Self::CleanupHalted => None,
        }
    }
}
