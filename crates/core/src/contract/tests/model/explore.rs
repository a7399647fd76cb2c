//! The exploration of all orders of the steps, or of seeded ones.

use super::quick::QuickMap;
use super::run::Planner;
use super::world::{User, World};

/// The numbers of explored states and ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Explored {
    pub(super) states: usize,
    pub(super) ends: usize,
}

/// A state on the path from the start, with the states that follow it and are not explored yet.
struct Visit {
    world: World,
    following: Vec<World>,
}

impl Visit {
    fn of(world: World, users: &[User], planner: Planner, explored: &mut Explored) -> Self {
        world.judge_state();
        let steps = world.steps(users);
        if world.is_end() {
            world.judge_end(planner);
            explored.ends += 1;
        }
        explored.states += 1;
        let after = |step| {
            let mut after = world.clone();
            after.step(step, planner);
            after
        };
        Self { following: steps.into_iter().map(after).collect(), world }
    }
}

/// Explores all states, depth first. A cycle of states is endless work of controllers alone, because each change of a user takes from the budget.
#[allow(clippy::mutable_key_type)] // the decisions that states share do not take part in comparisons
pub(super) fn explore(start: World, users: &[User], planner: Planner, explored: &mut Explored) {
    // The value is true while the state is on the current path.
    let mut known: QuickMap<World, bool> = QuickMap::default();
    known.insert(start.clone(), true);
    let mut path = vec![Visit::of(start, users, planner, explored)];
    while let Some(visit) = path.last_mut() {
        let Some(next) = visit.following.pop() else {
            known.insert(path.pop().map(|visit| visit.world).unwrap(), false);
            continue;
        };
        if let Some(is_on_path) = known.get(&next) {
            assert!(!is_on_path, "endless: controllers come back to {next:?}");
            continue;
        }
        known.insert(next.clone(), true);
        path.push(Visit::of(next, users, planner, explored));
    }
}

/// Takes seeded steps until none is left. Returns the number of states.
pub(super) fn walk(mut world: World, users: &[User], planner: Planner, seed: u64) -> usize {
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for states in 1..10_000 {
        world.judge_state();
        let steps = world.steps(users);
        if steps.is_empty() {
            world.judge_end(planner);
            return states;
        }
        // The xorshift generator.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let index = usize::try_from(random % u64::try_from(steps.len()).unwrap()).unwrap();
        world.step(steps[index], planner);
    }
    panic!("endless: the requests do not end: {world:?}");
}
