//! The steps of the model: requests of controllers, and what they wake.

use super::world::{OWN, Object, Pass, TYPES, User, World};
use super::*;

/// The decisions, and the events that wake controllers. Each defect is one of these replaced.
#[derive(Clone, Copy)]
pub(super) struct Planner {
    pub(super) next: fn(&ComponentState, &Format) -> Next,
    pub(super) plan: fn(&OwnerState, &[ComponentView<'_>]) -> Planned,
    pub(super) wakes_by_depending: bool,
    pub(super) wakes_by_ignore: bool,
}

impl Planner {
    pub(super) fn correct() -> Self {
        Self { next, plan, wakes_by_depending: true, wakes_by_ignore: true }
    }
}

/// The actions of the owner's controller.
pub(super) type Planned = Vec<(ComponentType, OwnerAction)>;

/// One thing that can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The controller of a component begins a pass, or does the next action of the one that runs.
    Component(usize),
    /// The controller of the owner begins a pass, or does the next action of the one that runs.
    Owner,
    /// A user changes something; of one component where that is the question.
    User(User, usize),
}

impl World {
    /// The steps that can be next. Those of users come last.
    pub(super) fn steps(&self, users: &[User]) -> Vec<Step> {
        let runs = |index: &usize| self.components[*index].wakes || self.components[*index].pass.is_some();
        let mut steps: Vec<Step> = (0..self.components.len()).filter(runs).map(Step::Component).collect();
        steps.extend((self.owner.wakes || self.owner.pass.is_some()).then_some(Step::Owner));
        if self.budget > 0 && self.owner.exists {
            for user in users {
                let is_of_owner = matches!(user, User::Edit | User::DeleteOwner);
                let count = if is_of_owner { 1 } else { self.components.len() };
                steps.extend((0..count).filter(|index| self.can(*user, *index)).map(|index| Step::User(*user, index)));
            }
        }
        steps
    }

    /// The state after all controllers have done their work, in one of the orders.
    pub(super) fn rolled_out(mut self, planner: Planner) -> Self {
        while let Some(step) = self.steps(&[]).first().copied() {
            self.step(step, planner);
        }
        self
    }

    fn can(&self, user: User, index: usize) -> bool {
        let component = &self.components[index];
        match user {
            User::Switch | User::Edit | User::DeleteOwner => !self.owner.is_deleting,
            User::Ignore => component.object.is_some(),
            User::Restart => component.pass.is_some(),
        }
    }

    pub(super) fn step(&mut self, step: Step, planner: Planner) {
        match step {
            Step::Component(index) => self.component(index, planner),
            Step::Owner => self.run_owner(planner),
            Step::User(user, index) => self.user(user, index, planner),
        }
    }

    fn user(&mut self, user: User, index: usize, planner: Planner) {
        self.budget -= 1;
        match user {
            User::Switch => {
                self.owner.configured ^= 1 << index;
                self.owner.generation += 1;
                self.owner.wakes = true;
            }
            User::Edit => {
                self.owner.generation += 1;
                self.owner.wakes = true;
            }
            User::DeleteOwner => {
                self.owner.is_deleting = true;
                self.owner.generation += 1;
                self.owner.wakes = true;
            }
            User::Ignore => self.write(index, planner, |object| object.is_ignored = !object.is_ignored),
            User::Restart => {
                self.components[index].pass = None;
                self.components[index].wakes = true;
            }
        }
    }

    fn component(&mut self, index: usize, planner: Planner) {
        let Some(mut pass) = self.components[index].pass.take() else {
            let targets = self.targets(index).into_iter().map(|target| self.components[target].object).collect();
            let own = self.components[index].object;
            self.components[index].wakes = false;
            self.components[index].pass = Some(Pass { own, targets, progress: Progress::Begun });
            return;
        };
        let next = (planner.next)(&self.state_of(index, &pass), &format());
        if let Next::End(end) = next {
            self.end(index, &pass, &end, planner);
            return;
        }
        if self.act(index, &mut pass, &next, planner) {
            self.components[index].pass = Some(pass);
        }
    }

    /// Does an action. Whether the pass goes on.
    fn act(&mut self, index: usize, pass: &mut Pass, next: &Next, planner: Planner) -> bool {
        let same = self.components[index].object.filter(|live| pass.own.is_some_and(|own| own.uid == live.uid));
        match next {
            Next::ConsumeReconcile => {
                if same.is_none() {
                    return false;
                }
                self.write(index, planner, |object| object.asks = false);
            }
            Next::PlaceOwnFinalizer => {
                if same.is_none_or(|live| live.is_deleting) {
                    return false;
                }
                self.write(index, planner, |object| object.own_finalizer = true);
            }
            Next::PlaceDependencyFinalizers(targets) | Next::ReleaseDependencies(targets) => {
                let places = matches!(next, Next::PlaceDependencyFinalizers(_));
                for slot in targets {
                    let target = self.targets(index)[*slot];
                    let live = self.components[target].object;
                    if live.is_some_and(|live| !(places && live.is_deleting)) {
                        let bit = 1 << index;
                        self.write(target, planner, |object| {
                            object.held_by = if places { object.held_by | bit } else { object.held_by & !bit };
                        });
                    }
                    pass.targets[*slot] = self.components[target].object;
                }
                return true;
            }
            Next::Apply => {
                self.judge_apply(index, &pass.targets);
                self.components[index].effect = true;
                pass.progress = Progress::Applied;
                return true;
            }
            Next::CleanUp => {
                self.judge_cleanup(index);
                self.components[index].effect = false;
                pass.progress = Progress::CleanedUp(true);
                return true;
            }
            Next::ReleaseOwnFinalizer => {
                if same.is_some() {
                    self.write(index, planner, |object| object.own_finalizer = false);
                }
                return false;
            }
            Next::End(_) => return false,
        }
        pass.own = self.components[index].object;
        true
    }

    /// The status at the end of a pass.
    fn end(&mut self, index: usize, pass: &Pass, end: &End, planner: Planner) {
        let Some(own) = pass.own else { return };
        if !end.writes_status() || self.components[index].object.is_none_or(|live| live.uid != own.uid) {
            return;
        }
        self.write(index, planner, |object| {
            object.has_status = true;
            match end {
                End::Applied => {
                    object.applied = Some((own.generation, own.label));
                    object.is_healthy = true;
                }
                End::Dependencies(unready) if !unready.iter().all(|unready| unready.why.is_lag()) => object.is_healthy = false,
                _ => {}
            }
        });
    }

    fn run_owner(&mut self, planner: Planner) {
        match self.owner.pass.take() {
            None => {
                self.owner.wakes = false;
                self.owner.pass = self.owner.exists.then(|| self.planned(planner));
            }
            Some(mut actions) => {
                let Some((index, action)) = actions.pop() else {
                    let is_empty = self.components.iter().all(|component| component.object.is_none());
                    self.owner.exists = !(self.owner.is_deleting && is_empty);
                    return;
                };
                self.owner_acts(index, action, planner);
                self.owner.pass = Some(actions);
            }
        }
    }

    fn planned(&self, planner: Planner) -> Vec<(usize, OwnerAction)> {
        let owner = OwnerState {
            provenance: Provenance::new(self.owner.generation.into(), None),
            is_deleting: self.owner.is_deleting,
            asks: false,
        };
        let observed: Vec<Option<Observation>> = self
            .components
            .iter()
            .enumerate()
            .map(|(index, found)| found.object.map(|object| object.observed(TYPES[index])))
            .collect();
        let views: Vec<ComponentView<'_>> = observed
            .iter()
            .enumerate()
            .map(|(index, existing)| ComponentView {
                type_: TYPES[index],
                is_configured: self.owner.configured & (1 << index) != 0,
                is_disabled: false,
                existing: existing.as_ref(),
            })
            .collect();
        let planned = (planner.plan)(&owner, &views).into_iter().enumerate().map(|(index, (_, action))| (index, action));
        planned.filter(|(_, action)| !matches!(action, OwnerAction::Nothing | OwnerAction::LeaveAlone)).collect()
    }

    fn owner_acts(&mut self, index: usize, action: OwnerAction, planner: Planner) {
        let (generation, live) = (self.owner.generation, self.components[index].object);
        match action {
            OwnerAction::Create(_) if live.is_none() => {
                self.uids += 1;
                self.components[index].object = Some(Object::new(self.uids, generation));
                self.components[index].wakes = true;
                self.wake_depending(index);
            }
            OwnerAction::Update(_) if live.is_some_and(|live| !live.is_deleting) => self.write(index, planner, |object| {
                object.label = generation;
                if object.spec != generation {
                    object.spec = generation;
                    object.generation += 1;
                }
            }),
            OwnerAction::Refresh(_) => self.write(index, planner, |object| object.label = generation),
            OwnerAction::Delete(change) => self.write(index, planner, |object| {
                if !object.is_deleting {
                    object.is_deleting = true;
                    object.generation += 1;
                }
                object.asks |= change == OperationChange::Reconcile;
            }),
            _ => {}
        }
    }

    /// Changes an object, removes it when it is deleted and released, and wakes the controllers that the change concerns.
    fn write(&mut self, index: usize, planner: Planner, change: impl FnOnce(&mut Object)) {
        let Some(old) = self.components[index].object else { return };
        let mut new = old;
        change(&mut new);
        if new == old {
            return;
        }
        let is_gone = new.is_deleting && !new.own_finalizer && new.held_by == 0;
        self.components[index].object = (!is_gone).then_some(new);
        if is_gone {
            self.owner.wakes |= self.owner.exists;
            self.wake_depending(index);
            return;
        }
        let status = (old.applied, old.is_healthy, old.has_status) != (new.applied, new.is_healthy, new.has_status);
        let own = old.generation != new.generation
            || (!old.asks && new.asks)
            || (old.is_ignored && !new.is_ignored)
            || old.label != new.label
            || (planner.wakes_by_depending && old.held_by != new.held_by);
        let ignore = planner.wakes_by_ignore && old.is_ignored != new.is_ignored;
        self.components[index].wakes |= own && !new.is_ignored;
        self.owner.wakes |= (status || ignore) && self.owner.exists;
        if status || ignore || old.label != new.label || old.is_deleting != new.is_deleting {
            self.wake_depending(index);
        }
    }

    fn wake_depending(&mut self, on: usize) {
        for depending in self.depending(on) {
            let is_there = self.components[depending].object.is_some_and(|object| !object.is_ignored);
            self.components[depending].wakes |= is_there;
        }
    }
}

pub(super) fn cleans_up_at_once(state: &ComponentState, format: &Format) -> Next {
    match next(state, format) {
        Next::End(End::Depending(_)) => {
            let own = state.own.clone().map(|own| Observation { depending: BTreeSet::new(), ..own });
            next(&ComponentState { own, ..state.clone() }, format)
        }
        other => other,
    }
}

pub(super) fn applies_before_it_holds(state: &ComponentState, format: &Format) -> Next {
    match next(state, format) {
        Next::PlaceDependencyFinalizers(_) => Next::Apply,
        other => other,
    }
}

pub(super) fn leaves_finalizers(state: &ComponentState, format: &Format) -> Next {
    match next(state, format) {
        Next::ReleaseDependencies(_) => Next::ReleaseOwnFinalizer,
        other => other,
    }
}

pub(super) fn places_no_finalizer(state: &ComponentState, format: &Format) -> Next {
    let mut state = state.clone();
    if let Some(own) = state.own.as_mut().filter(|own| !own.is_deleting) {
        own.finalizers.push(OWN.to_owned());
    }
    next(&state, format)
}

/// Asks for a status again and again: each pass ends as if it had just begun.
pub(super) fn consumes_for_ever(state: &ComponentState, format: &Format) -> Next {
    match next(state, format) {
        Next::End(End::Applied) => Next::ConsumeReconcile,
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
