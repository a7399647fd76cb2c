//! A model of an owner, its components and their controllers: every order of their requests, with changes by a user and restarts in between, on
//! all graphs of a few components. The decisions are those of the planner, or of a planner with a defect.

mod explore;
mod properties;
mod run;
mod world;

use super::*;
use explore::{Explored, explore, walk};
use run::Planner;
use world::{User, World};

/// All graphs of `count` components. A component depends on earlier ones alone, so that each graph is there in one order of its components.
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

/// How much is explored: the number in the environment, or a bound for every run.
fn bound(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|bound| bound.parse().ok()).unwrap_or(default)
}

/// Explores all graphs of `count` components, from before their creation or from after it.
fn all(planner: Planner, count: usize, start: Start, users: &[User], budget: u8) -> Explored {
    let mut explored = Explored::default();
    // The edges make the defects, so that graphs with many come first.
    for graph in graphs(count).into_iter().rev() {
        for keep_running in [false, true] {
            let new = World::new(&graph, keep_running, budget);
            match start {
                Start::New if keep_running => {} // which makes no difference before a deletion
                Start::New => explore(new, users, planner, &mut explored),
                Start::RolledOut => explore(new.rolled_out(planner), users, planner, &mut explored),
            }
        }
    }
    explored
}

/// The state in which the changes of a user begin.
#[derive(Clone, Copy)]
enum Start {
    /// The owner was just created.
    New,
    /// All components are ready.
    RolledOut,
}

/// The changes of a user, all of them.
const USERS: [User; 5] = [User::Switch, User::Edit, User::DeleteOwner, User::Ignore, User::Restart];

#[test]
fn nothing_goes_wrong_in_any_order_of_the_creation_of_two_components() {
    let explored = all(Planner::correct(), 2, Start::New, &USERS, 1);
    println!("creation of two components, 1 change: {} states, {} ends", explored.states, explored.ends);
    assert!(explored.states > 10_000 && explored.ends > 50, "{explored:?}");
}

#[test]
fn nothing_goes_wrong_in_any_order_of_changes_of_two_components() {
    let budget = u8::try_from(bound("KUBEWRIGHT_CONTRACT_CHANGES", 2)).unwrap();
    let explored = all(Planner::correct(), 2, Start::RolledOut, &USERS, budget);
    println!("two components, {budget} changes: {} states, {} ends", explored.states, explored.ends);
    assert!(explored.states > 10_000 && explored.ends > 50, "{explored:?}");
}

#[test]
fn nothing_goes_wrong_in_any_order_of_a_teardown_of_three_components() {
    let budget = u8::try_from(bound("KUBEWRIGHT_CONTRACT_CHANGES", 1)).unwrap();
    let users: &[User] = if budget > 1 { &USERS } else { &[User::DeleteOwner] };
    let explored = all(Planner::correct(), 3, Start::RolledOut, users, budget);
    println!("three components, {budget} changes: {} states, {} ends", explored.states, explored.ends);
    assert!(explored.states > 10_000, "{explored:?}");
}

#[test]
fn nothing_goes_wrong_in_seeded_orders_of_four_components() {
    let walks = bound("KUBEWRIGHT_CONTRACT_WALKS", 4);
    let mut states = 0;
    for (number, graph) in graphs(4).into_iter().enumerate() {
        for round in 0..walks {
            let seed = u64::try_from(number * walks + round).unwrap();
            let world = World::new(&graph, round % 2 == 1, 8);
            states += walk(world, &USERS, Planner::correct(), seed);
        }
    }
    println!("four components: {states} states on {} walks", 729 * walks);
    assert!(states > 10_000);
}

/// Asserts that a planner with this defect violates this property.
fn violates(planner: Planner, start: Start, users: &[User], budget: u8, property: &str) {
    let found = std::panic::catch_unwind(|| all(planner, 2, start, users, budget)).unwrap_err();
    let text = found.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.starts_with(property), "{text}");
}

#[test]
fn a_cleanup_past_depending_components_is_found() {
    violates(Planner { next: run::cleans_up_at_once, ..Planner::correct() }, Start::RolledOut, &USERS, 1, "order");
}

#[test]
fn an_apply_before_the_dependencies_are_held_is_found() {
    violates(Planner { next: run::applies_before_it_holds, ..Planner::correct() }, Start::New, &USERS, 1, "held");
}

#[test]
fn finalizers_that_stay_on_dependencies_are_found() {
    violates(Planner { next: run::leaves_finalizers, ..Planner::correct() }, Start::RolledOut, &USERS, 1, "hang");
}

#[test]
fn a_component_without_its_own_finalizer_is_found() {
    violates(Planner { next: run::places_no_finalizer, ..Planner::correct() }, Start::New, &USERS, 1, "left");
}

#[test]
fn a_last_dependency_finalizer_that_wakes_no_controller_is_found() {
    violates(Planner { wakes_by_depending: false, ..Planner::correct() }, Start::RolledOut, &USERS, 1, "hang");
}

#[test]
fn an_ignore_that_wakes_no_other_controller_when_it_goes_is_found() {
    violates(Planner { wakes_by_ignore: false, ..Planner::correct() }, Start::RolledOut, &[User::Ignore, User::Edit], 3, "hang");
}

#[test]
fn an_owner_that_forgets_a_component_is_found() {
    violates(Planner { plan: run::forgets_the_last, ..Planner::correct() }, Start::RolledOut, &USERS, 1, "hang");
}

#[test]
fn requests_without_an_end_are_found() {
    violates(Planner { next: run::consumes_for_ever, ..Planner::correct() }, Start::New, &USERS, 1, "endless");
}
