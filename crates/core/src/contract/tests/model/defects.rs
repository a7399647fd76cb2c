//! Planners with one defect each.

use super::run::Planned;
use super::world::OWN;
use super::*;

pub(super) fn cleans_up_at_once(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    match next(state, format) {
        ComponentLoopAction::End(ComponentLoopEnd::Depending(_)) => {
            let own = state.own.clone().map(|own| Observation { depending: BTreeSet::new(), ..own });
            next(&ComponentLoopState { own, ..state.clone() }, format)
        }
        other => other,
    }
}

pub(super) fn applies_before_it_holds(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    match next(state, format) {
        ComponentLoopAction::PlaceDependencyFinalizers(_) => ComponentLoopAction::Apply,
        other => other,
    }
}

pub(super) fn leaves_finalizers(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    match next(state, format) {
        ComponentLoopAction::ReleaseDependencies(_) => ComponentLoopAction::ReleaseOwnFinalizer,
        other => other,
    }
}

pub(super) fn places_no_finalizer(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    let mut state = state.clone();
    if let Some(own) = state.own.as_mut().filter(|own| !own.is_deleting) {
        own.finalizers.push(OWN.to_owned());
    }
    next(&state, format)
}

/// Decides like a planner that starts every pass anew: each pass ends as if it had just begun.
pub(super) fn consumes_for_ever(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    match next(state, format) {
        ComponentLoopAction::End(ComponentLoopEnd::Applied) => ComponentLoopAction::ConsumeReconcile,
        other => other,
    }
}

pub(super) fn forgets_the_last(owner: &OwnerState, components: &[ComponentView<'_>]) -> Planned {
    let mut planned = plan(owner, components);
    if let Some((_, action)) = planned.last_mut().filter(|_| owner.is_deleting) {
        *action = OwnerAction::Nothing;
    }
    planned
}

/// Decides like a planner that releases the dependencies before the cleanup.
pub(super) fn releases_before_the_cleanup(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    match next(state, format) {
        ComponentLoopAction::CleanUp => {
            match next(&ComponentLoopState { progress: Progress::CleanedUp(true), ..state.clone() }, format) {
                ComponentLoopAction::ReleaseDependencies(slots) => ComponentLoopAction::ReleaseDependencies(slots),
                _ => ComponentLoopAction::CleanUp,
            }
        }
        other => other,
    }
}

/// Decides like a planner that does not know `ignore` on its own component.
pub(super) fn works_on_ignored(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    let mut state = state.clone();
    if let Some(own) = state.own.as_mut().filter(|own| own.is_ignored()) {
        own.operation = None;
    }
    next(&state, format)
}

/// Decides like a planner that does not know `ignore` on dependencies.
pub(super) fn holds_ignored(state: &ComponentLoopState, format: &Format) -> ComponentLoopAction {
    let mut state = state.clone();
    for found in state.targets.iter_mut().filter_map(|target| target.observation.as_mut()).filter(|found| found.is_ignored()) {
        found.operation = None;
    }
    next(&state, format)
}
