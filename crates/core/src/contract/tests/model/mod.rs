//! A model of an owner, its components and their controllers: every order of their requests, with changes by a user, lost events and restarts in
//! between, on all graphs of a few components. The decisions are those of the planner, or of a planner with a defect.
//!
//! Two components are explored in all orders; three and four with a bound for the passes that others interrupt, four also on seeded walks beyond it.
//! The variables `KUBEWRIGHT_CONTRACT_CHANGES`, `KUBEWRIGHT_CONTRACT_INTERRUPTIONS` and `KUBEWRIGHT_CONTRACT_WALKS` raise the bounds.

mod defects;
mod explore;
mod private;
mod properties;
mod quick;
mod run;
mod world;

use explore::{Explored, explore, walk};
use run::Planner;
use world::{Interruptions, User, World};

use super::*;

/// Returns all graphs of `count` components. A component depends only on earlier ones, so that each graph appears in one order of its components.
fn graphs(count: usize) -> Vec<Vec<Vec<Edge>>> {
    let pairs: Vec<(usize, usize)> = (0..count).flat_map(|from| (0..from).map(move |to| (from, to))).collect();
    let kinds = [None, Some(EdgeKind::Needs(Revision::ReadyOnly)), Some(EdgeKind::OutlivedBy)];
    let total = 3_usize.pow(u32::try_from(pairs.len()).unwrap());
    let graph = |mut number: usize| {
        let mut edges = vec![Vec::new(); count];
        for (from, to) in &pairs {
            if let Some(kind) = kinds[number % 3] {
                edges[*from].push(Edge { to: world::TYPES[*to], kind });
            }
            number /= 3;
        }
        edges
    };
    (0..total).map(graph).collect()
}

/// Returns a bound of the exploration: the number in the environment, or the default of every run.
fn bound(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|bound| bound.parse().ok()).unwrap_or(default)
}

/// The scope of an exploration.
#[derive(Clone, Copy)]
struct ExplorationScope<'a> {
    count: usize,
    start: Start,
    is_slow: bool,
    interruptions: Interruptions,
    users: &'a [User],
    budget: u8,
}

/// The state in which the changes of a user begin.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// The owner was just created.
    New,
    /// All components are ready.
    RolledOut,
}

/// All changes of a user, and all faults of controllers.
const USERS: [User; 6] = [User::Switch, User::Edit, User::DeleteOwner, User::Ignore, User::Restart, User::Lose];

impl ExplorationScope<'_> {
    const NEW: Self =
        Self { count: 2, start: Start::New, is_slow: false, interruptions: Interruptions::Any, users: &USERS, budget: 1 };
    const ROLLED_OUT: Self = Self { start: Start::RolledOut, ..Self::NEW };

    /// Explores all graphs.
    fn explore(self, planner: Planner) -> Explored {
        let mut explored = Explored::default();
        // Most defects need edges, so graphs with many edges come first.
        for graph in graphs(self.count).into_iter().rev() {
            for keep_running in [false, true] {
                let new = World { is_slow: self.is_slow, ..World::new(&graph, keep_running, self.budget) };
                let start = match self.start {
                    Start::New if keep_running => continue, // it makes no difference before a deletion
                    Start::New => new,
                    Start::RolledOut => new.rolled_out(planner),
                };
                explore(World { interruptions: self.interruptions, ..start }, self.users, planner, &mut explored);
            }
        }
        explored
    }

    /// Explores with the correct planner, and prints the numbers of states and ends.
    fn holds(self, what: &str) {
        let explored = self.explore(Planner::correct());
        println!(
            "{what}, {} components, {} changes: {} states, {} ends",
            self.count, self.budget, explored.states, explored.ends
        );
        assert!(explored.states > 10_000, "{explored:?}");
    }

    /// Asserts that a planner with a defect violates this property.
    fn violates(self, planner: Planner, property: &str) {
        let found = std::panic::catch_unwind(|| self.explore(planner)).unwrap_err();
        let text = found.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.starts_with(property), "{text}");
    }
}

/// Returns the number of times that passes interrupt each other in every run, unless the environment asks for more.
fn interruptions(default: usize) -> Interruptions {
    Interruptions::AtMost(u8::try_from(bound("KUBEWRIGHT_CONTRACT_INTERRUPTIONS", default)).unwrap(), None)
}

/// Returns the number of changes of a user in every run, unless the environment asks for more.
fn changes(default: u8) -> u8 {
    u8::try_from(bound("KUBEWRIGHT_CONTRACT_CHANGES", default.into())).unwrap()
}

#[test]
fn contract_properties_hold_in_any_order_of_the_creation_of_two_components() {
    ExplorationScope::NEW.holds("creation");
}

#[test]
fn contract_properties_hold_in_the_creation_of_two_slow_components_with_few_interruptions() {
    let users = &[User::DeleteOwner];
    ExplorationScope { is_slow: true, users, interruptions: interruptions(1), ..ExplorationScope::NEW }.holds("slow creation");
}

#[test]
fn contract_properties_hold_in_any_order_of_changes_of_two_components() {
    ExplorationScope { budget: changes(2), ..ExplorationScope::ROLLED_OUT }.holds("all changes");
}

#[test]
fn contract_properties_hold_in_any_order_of_changes_of_two_slow_components() {
    ExplorationScope { is_slow: true, budget: changes(1), ..ExplorationScope::ROLLED_OUT }.holds("all changes, slow");
}

#[test]
fn contract_properties_hold_in_teardowns_of_three_components_with_few_interruptions() {
    let budget = changes(1);
    let users: &[User] = if budget > 1 { &USERS } else { &[User::DeleteOwner] };
    ExplorationScope { count: 3, users, budget, interruptions: interruptions(2), ..ExplorationScope::ROLLED_OUT }
        .holds("teardown");
}

#[test]
fn contract_properties_hold_in_any_order_of_teardown_passes_of_four_components() {
    let interruptions = interruptions(0);
    ExplorationScope { count: 4, users: &[User::DeleteOwner], interruptions, ..ExplorationScope::ROLLED_OUT }
        .holds("teardown, whole passes");
}

#[test]
fn contract_properties_hold_on_seeded_walks_of_four_components() {
    let walks = bound("KUBEWRIGHT_CONTRACT_WALKS", 4);
    let mut states = 0;
    for (number, graph) in graphs(4).into_iter().enumerate() {
        for round in 0..walks {
            let seed = u64::try_from(number * walks + round).unwrap();
            let world = World { is_slow: round / 2 % 2 == 1, ..World::new(&graph, round % 2 == 1, 8) };
            states += walk(world, &USERS, Planner::correct(), seed);
        }
    }
    println!("four components: {states} states on {} walks", 729 * walks);
    assert!(states > 10_000);
}

#[test]
fn a_cleanup_past_depending_components_is_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { next: defects::cleans_up_at_once, ..Planner::correct() }, "order");
}

#[test]
fn an_apply_before_the_dependencies_are_held_is_found() {
    ExplorationScope::NEW.violates(Planner { next: defects::applies_before_it_holds, ..Planner::correct() }, "held");
}

#[test]
fn finalizers_that_stay_on_dependencies_are_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { next: defects::leaves_finalizers, ..Planner::correct() }, "hang");
}

#[test]
fn finalizers_that_go_before_the_cleanup_are_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { next: defects::releases_before_the_cleanup, ..Planner::correct() }, "lost");
}

#[test]
fn an_update_that_takes_finalizers_away_is_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { keeps_finalizers: false, ..Planner::correct() }, "lost");
}

#[test]
fn a_component_without_its_own_finalizer_is_found() {
    ExplorationScope::NEW.violates(Planner { next: defects::places_no_finalizer, ..Planner::correct() }, "lost");
}

#[test]
fn an_owner_that_forgets_a_component_is_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { plan: defects::forgets_the_last, ..Planner::correct() }, "hang");
}

#[test]
fn the_model_detects_an_owner_that_is_deleted_before_its_components() {
    ExplorationScope::ROLLED_OUT.violates(Planner { awaits_components: false, ..Planner::correct() }, "left");
}

#[test]
fn work_on_an_ignored_component_is_found() {
    let scope = ExplorationScope { users: &[User::Edit, User::Ignore], budget: 2, ..ExplorationScope::ROLLED_OUT };
    scope.violates(Planner { next: defects::works_on_ignored, ..Planner::correct() }, "ignored");
}

#[test]
fn a_finalizer_removed_from_an_ignored_dependency_is_found_by_the_model() {
    let users = &[User::Ignore, User::DeleteOwner];
    let scope = ExplorationScope { users, budget: 2, ..ExplorationScope::ROLLED_OUT };
    scope.violates(Planner { next: defects::holds_ignored, ..Planner::correct() }, "ignored");
}

#[test]
fn a_last_dependency_finalizer_that_wakes_no_controller_is_found() {
    ExplorationScope::ROLLED_OUT.violates(Planner { wakes_by_depending: false, ..Planner::correct() }, "hang");
}

#[test]
fn the_model_detects_an_ignore_change_that_wakes_no_other_controller() {
    let scope = ExplorationScope { users: &[User::Ignore, User::Edit], budget: 3, ..ExplorationScope::ROLLED_OUT };
    scope.violates(Planner { wakes_by_ignore: false, ..Planner::correct() }, "hang");
}

#[test]
fn lost_events_that_no_list_makes_up_for_are_found() {
    let scope = ExplorationScope { users: &[User::Lose, User::Edit], budget: 2, ..ExplorationScope::ROLLED_OUT };
    scope.violates(Planner { lists_again: false, ..Planner::correct() }, "hang");
}

#[test]
fn a_status_that_does_not_wake_the_owner_is_found() {
    ExplorationScope::NEW.violates(Planner { wakes_owner_by_status: false, ..Planner::correct() }, "told");
}

#[test]
fn an_owner_that_shows_internal_conditions_is_found() {
    ExplorationScope::NEW.violates(Planner { aggregate: private::exports_internal, ..Planner::correct() }, "private");
}

#[test]
fn a_component_that_writes_unmasked_messages_is_found() {
    ExplorationScope::NEW.violates(Planner { status: private::unmasked_status, ..Planner::correct() }, "private");
}

#[test]
fn requests_without_an_end_are_found() {
    ExplorationScope::NEW.violates(Planner { next: defects::consumes_for_ever, ..Planner::correct() }, "endless");
}
