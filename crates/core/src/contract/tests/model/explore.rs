//! Every order of the steps, or seeded ones.

use std::collections::HashSet;

use super::run::Planner;
use super::world::{User, World};

/// What was explored.
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
        if world.steps(&[]).is_empty() {
            world.judge_end();
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

/// Explores all states, depth first. Endless: a state that follows itself is one that controllers alone come back to, since each change of a user
/// takes from the budget.
pub(super) fn explore(start: World, users: &[User], planner: Planner, explored: &mut Explored) {
    let mut seen: HashSet<World> = HashSet::from([start.clone()]);
    let mut on_path: HashSet<World> = HashSet::from([start.clone()]);
    let mut path = vec![Visit::of(start, users, planner, explored)];
    while let Some(visit) = path.last_mut() {
        let Some(next) = visit.following.pop() else {
            on_path.remove(&visit.world);
            path.pop();
            continue;
        };
        assert!(!on_path.contains(&next), "endless: controllers come back to {next:?}");
        if seen.insert(next.clone()) {
            on_path.insert(next.clone());
            path.push(Visit::of(next, users, planner, explored));
        }
    }
}

/// Takes seeded steps until none is left. Returns the number of states.
pub(super) fn walk(mut world: World, users: &[User], planner: Planner, seed: u64) -> usize {
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for states in 1..10_000 {
        world.judge_state();
        let steps = world.steps(users);
        if steps.is_empty() {
            world.judge_end();
            return states;
        }
        // xorshift
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let index = usize::try_from(random % u64::try_from(steps.len()).unwrap()).unwrap();
        world.step(steps[index], planner);
    }
    panic!("endless: the requests do not end: {world:?}");
}
