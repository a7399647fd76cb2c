use super::*;
use crate::flow::WaitOn;

const OWN: &str = "example.com/portal";
const HOLD: &str = "dependency.example.com/portal";

fn target(to: ComponentType, kind: EdgeKind, observation: Option<Observation>) -> EdgeTarget {
    EdgeTarget { edge: Edge { to, kind }, conditions: None, polarities: Vec::new(), finalizer: HOLD.to_owned(), observation }
}

/// Returns a new Portal that needs a ready Server and is outlived by a Database.
fn state() -> ComponentLoopState {
    let needs = EdgeKind::Needs(Revision::ReadyOnly);
    ComponentLoopState {
        own: Some(ready(PORTAL)),
        finalizers: vec![OWN.to_owned(), "portal.example.com".to_owned()],
        keep_running: false,
        targets: vec![target(SERVER, needs, Some(ready(SERVER))), target(DATABASE, EdgeKind::OutlivedBy, Some(ready(DATABASE)))],
        release: Release::AfterCleanup,
        progress: Progress::Begun,
    }
}

fn own(state: &mut ComponentLoopState) -> &mut Observation {
    state.own.as_mut().unwrap()
}

fn held(state: &mut ComponentLoopState, index: usize) -> &mut Observation {
    let target = state.targets.get_mut(index).unwrap();
    let finalizer = target.finalizer.clone();
    let observation = target.observation.as_mut().unwrap();
    observation.finalizers.push(finalizer);
    observation
}

/// Returns a Portal with all finalizers that is being deleted.
fn deletion() -> ComponentLoopState {
    let mut state = state();
    own(&mut state).is_deleting = true;
    own(&mut state).finalizers = vec![OWN.to_owned()];
    held(&mut state, 0);
    held(&mut state, 1);
    state
}

fn after(state: &ComponentLoopState) -> ComponentLoopAction {
    next(state, &format())
}

fn unready(type_: ComponentType, why: NotReady) -> ComponentLoopAction {
    ComponentLoopAction::End(ComponentLoopEnd::Dependencies(vec![Unready { type_, why }]))
}

// LOOP-01, OP-01, OPA-2, FIN-05, 5a
#[test]
fn absent_ignored_and_released_components_are_not_touched() {
    assert_eq!(after(&ComponentLoopState { own: None, ..state() }), ComponentLoopAction::End(ComponentLoopEnd::Untouched));
    let mut released = deletion();
    own(&mut released).finalizers.clear();
    own(&mut released).operation = Some(Operation::Reconcile);
    assert_eq!(after(&released), ComponentLoopAction::End(ComponentLoopEnd::Untouched));
    for mut ignored in [state(), deletion()] {
        own(&mut ignored).operation = Some(Operation::Ignore);
        assert_eq!(after(&ignored), ComponentLoopAction::End(ComponentLoopEnd::Untouched));
    }
}

// OP-02, OPA-1, OP-03, OPA-5
#[test]
fn reconcile_is_consumed_first_and_other_values_have_no_effect() {
    for mut asked in [state(), deletion()] {
        own(&mut asked).operation = Some(Operation::Reconcile);
        own(&mut asked).provenance = Err(broken());
        assert_eq!(after(&asked), ComponentLoopAction::ConsumeReconcile);
    }
    let mut other = state();
    own(&mut other).operation = Some(Operation::Other);
    assert_eq!(after(&other), ComponentLoopAction::PlaceOwnFinalizer);
}

// LOOP-02, 13.5 step 3
#[test]
fn broken_labels_end_the_pass_unless_the_component_is_being_deleted() {
    let mut live = state();
    own(&mut live).provenance = Err(broken());
    assert_eq!(after(&live), ComponentLoopAction::End(ComponentLoopEnd::Provenance(broken())));
    let mut going = deletion();
    own(&mut going).provenance = Err(broken());
    assert_eq!(after(&going), ComponentLoopAction::CleanUp);
}

// 13.5 steps 4a to 4d; DEP-07, EDGE-1
#[test]
fn finalizers_are_placed_in_order_before_apply() {
    let mut state = state();
    assert_eq!(after(&state), ComponentLoopAction::PlaceOwnFinalizer);
    own(&mut state).finalizers.push(OWN.to_owned());
    assert_eq!(after(&state), ComponentLoopAction::PlaceDependencyFinalizers(vec![0, 1]));
    held(&mut state, 1);
    assert_eq!(after(&state), ComponentLoopAction::PlaceDependencyFinalizers(vec![0]));
    held(&mut state, 0);
    assert_eq!(after(&state), ComponentLoopAction::Apply);
    state.progress = Progress::Applied;
    assert_eq!(after(&state), ComponentLoopAction::End(ComponentLoopEnd::Applied));
}

// FIN-06, FZ-8
#[test]
fn a_former_name_of_the_own_finalizer_counts() {
    let mut state = state();
    own(&mut state).finalizers.push("portal.example.com".to_owned());
    assert_eq!(after(&state), ComponentLoopAction::PlaceDependencyFinalizers(vec![0, 1]));
}

// DEP-01, 4a
#[test]
fn a_needed_dependency_that_is_absent_or_not_ready_holds_the_component_up() {
    let mut absent = state();
    absent.targets[0].observation = None;
    assert_eq!(after(&absent), unready(SERVER, NotReady::Absent));
    let mut lagging = state();
    lagging.targets[0].observation.as_mut().unwrap().applied = None;
    assert_eq!(after(&lagging), unready(SERVER, NotReady::Lags));
}

// DEP-18, CL-6, OP-08
#[test]
fn a_component_that_only_has_to_outlive_may_be_absent_ignored_or_unhealthy() {
    let mut state = state();
    own(&mut state).finalizers.push(OWN.to_owned());
    held(&mut state, 0);
    let database = &mut state.targets[1].observation;
    database.as_mut().unwrap().conditions.clear();
    assert_eq!(after(&state), ComponentLoopAction::PlaceDependencyFinalizers(vec![1]));
    state.targets[1].observation.as_mut().unwrap().operation = Some(Operation::Ignore);
    assert_eq!(after(&state), ComponentLoopAction::Apply);
    state.targets[1].observation = None;
    assert_eq!(after(&state), ComponentLoopAction::Apply);
}

// FIN-07, 4c
#[test]
fn a_dependency_that_is_going_is_waited_for_and_not_written() {
    for index in [0, 1] {
        let mut state = state();
        let target = &mut state.targets[index];
        target.observation.as_mut().unwrap().is_deleting = true;
        let to = target.edge.to;
        assert_eq!(after(&state), unready(to, NotReady::Deleting));
    }
}

// DEP-08, 5b
#[test]
fn depending_components_keep_the_cleanup_from_being_called() {
    let mut state = deletion();
    own(&mut state).depending = ["web", "api"].map(str::to_owned).into();
    let ComponentLoopAction::End(end) = after(&state) else { panic!("the pass goes on") };
    let wait = end.wait().unwrap();
    assert_eq!(wait.reason().as_str(), "DeletionWaitingForDependingComponents");
    assert_eq!(wait.text(), "the deletion waits for depending components: api, web");
    assert_eq!(wait.on(), WaitOn::Event { safety_net: None });
}

// DEP-14, TEAR-2
#[test]
fn a_component_that_keeps_running_is_applied_while_it_is_needed() {
    let mut state = ComponentLoopState { keep_running: true, ..deletion() };
    own(&mut state).depending = ["web".to_owned()].into();
    let end = ComponentLoopAction::End(ComponentLoopEnd::Depending(["web".to_owned()].into()));
    assert_eq!(after(&state), ComponentLoopAction::Apply);
    assert_eq!(after(&ComponentLoopState { progress: Progress::Applied, ..state.clone() }), end);
    state.targets[0].observation = None;
    assert_eq!(after(&state), end);
}

// DEP-10, CL-3, DEP-15
#[test]
fn a_cleanup_needs_no_dependency() {
    let mut state = deletion();
    for target in &mut state.targets {
        target.observation = None;
    }
    assert_eq!(after(&state), ComponentLoopAction::CleanUp);
    state.progress = Progress::CleanedUp(true);
    assert_eq!(after(&state), ComponentLoopAction::ReleaseOwnFinalizer);
}

// 5c, 5d; CL-5
#[test]
fn all_dependencies_are_released_before_the_own_finalizer() {
    let mut state = deletion();
    assert_eq!(after(&state), ComponentLoopAction::CleanUp);
    state.progress = Progress::CleanedUp(false);
    assert_eq!(after(&state), ComponentLoopAction::End(ComponentLoopEnd::CleanupHalted));
    state.progress = Progress::CleanedUp(true);
    assert_eq!(after(&state), ComponentLoopAction::ReleaseDependencies(vec![0, 1]));
    state.targets[0].observation.as_mut().unwrap().finalizers.clear();
    assert_eq!(after(&state), ComponentLoopAction::ReleaseDependencies(vec![1]));
    state.targets[1].observation = None;
    assert_eq!(after(&state), ComponentLoopAction::ReleaseOwnFinalizer);
}

// OP-08, OPA-4
#[test]
fn an_ignored_dependency_with_our_finalizer_keeps_the_own_finalizer() {
    let mut state = ComponentLoopState { progress: Progress::CleanedUp(true), ..deletion() };
    state.targets[0].observation.as_mut().unwrap().operation = Some(Operation::Ignore);
    assert_eq!(after(&state), ComponentLoopAction::ReleaseDependencies(vec![1]));
    state.targets[1].observation.as_mut().unwrap().finalizers.clear();
    let end = ComponentLoopEnd::IgnoredDependencies(vec![SERVER]);
    assert_eq!(after(&state), ComponentLoopAction::End(end.clone()));
    assert_eq!(end.wait().unwrap().reason().as_str(), "DependencyIgnored");
}

// FDEL-06, FZ-12, FZ-13
#[test]
fn an_abandoned_component_is_released_after_its_cleanup_and_a_forced_one_also_past_those_that_need_it() {
    for release in [Release::Abandoned, Release::Forced] {
        let mut state = ComponentLoopState { release, ..deletion() };
        assert_eq!(after(&state), ComponentLoopAction::CleanUp);
        state.progress = Progress::CleanedUp(false);
        assert_eq!(after(&state), ComponentLoopAction::ReleaseDependencies(vec![0, 1]));
    }
    let mut needed = ComponentLoopState { release: Release::Abandoned, ..deletion() };
    own(&mut needed).depending = ["web".to_owned()].into();
    assert_eq!(after(&needed), ComponentLoopAction::End(ComponentLoopEnd::Depending(["web".to_owned()].into())));
    needed.release = Release::Forced;
    assert_eq!(after(&needed), ComponentLoopAction::ReleaseDependencies(vec![0, 1]));
}

// DEP-01, 4a
#[test]
fn the_wait_for_dependencies_lists_each_with_the_first_reason() {
    let unhealthy =
        NotReady::Condition { type_: "ServerHealthy".to_owned(), found: Some(Box::new(condition("x", ConditionStatus::False))) };
    let unready = vec![Unready { type_: SERVER, why: unhealthy }, Unready { type_: DATABASE, why: NotReady::Absent }];
    let wait = ComponentLoopEnd::Dependencies(unready).wait().unwrap();
    assert_eq!(wait.reason().as_str(), "WaitingForDependencies");
    let expected = "waiting for dependencies: Server: condition ServerHealthy is False (Tested); Database: it does not exist";
    assert_eq!(wait.text(), expected);
}
