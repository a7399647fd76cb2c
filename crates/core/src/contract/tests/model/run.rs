//! The steps of the model: requests of controllers, and the controllers that they wake.

use super::world::{ExternalEffect, FORMAT, Interruptions, Object, Pass, TYPES, User, View, World};
use super::{private, *};

/// The decisions, and the events that wake controllers. Each defect replaces one of these.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // each is an independent defect
pub(super) struct Planner {
    pub(super) next: fn(&ComponentLoopState, &Format) -> ComponentLoopAction,
    pub(super) plan: fn(&OwnerState, &[ComponentView<'_>]) -> Planned,
    /// The conditions of a component that its controller writes.
    pub(super) status: fn(usize, bool) -> Vec<Condition>,
    pub(super) aggregate: fn(&[Reported<'_>], &OwnerPass<'_>, &Format) -> Aggregate,
    pub(super) wakes_by_depending: bool,
    pub(super) wakes_by_ignore: bool,
    pub(super) wakes_owner_by_status: bool,
    /// True if objects whose events were lost are listed again.
    pub(super) lists_again: bool,
    /// True if an update of the owner keeps finalizers.
    pub(super) keeps_finalizers: bool,
    /// True if the owner stays until its components are gone.
    pub(super) awaits_components: bool,
}

impl Planner {
    pub(super) fn correct() -> Self {
        Self {
            next,
            plan,
            status: private::status,
            aggregate,
            wakes_by_depending: true,
            wakes_by_ignore: true,
            wakes_owner_by_status: true,
            lists_again: true,
            keeps_finalizers: true,
            awaits_components: true,
        }
    }
}

/// The actions of the owner's controller.
pub(super) type Planned = Vec<(ComponentType, OwnerAction)>;

/// One possible next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The controller of a component begins a pass, or executes the next action of the running one.
    Component(usize),
    /// The controller of the owner begins a pass, or executes the next action of the running one.
    Owner,
    /// The external effect of a component is complete, or gone.
    Outside(usize),
    /// The controller whose events were lost lists its objects again. The number after the last component is that of the owner.
    List(usize),
    /// A user makes a change, to the component or controller of this number if the change has one.
    User(User, usize),
}

impl World {
    /// Returns the steps that can be next. Those of users come last.
    pub(super) fn steps(&self, users: &[User]) -> Vec<Step> {
        let count = self.components.len();
        if let Interruptions::AtMost(0, Some(running)) = self.interruptions {
            let running = usize::from(running);
            return vec![if running == count { Step::Owner } else { Step::Component(running) }];
        }
        let runs = |index: &usize| self.components[*index].wakes || self.components[*index].pass.is_some();
        let mut steps: Vec<Step> = (0..count).filter(runs).map(Step::Component).collect();
        steps.extend((self.owner.wakes || self.owner.pass.is_some()).then_some(Step::Owner));
        let moves = |index: &usize| matches!(self.components[*index].effect, ExternalEffect::Comes | ExternalEffect::Goes);
        steps.extend((0..count).filter(moves).map(Step::Outside));
        let is_blind =
            |index: &usize| self.components.get(*index).map_or_else(|| self.owner.view.is_some(), |found| found.view.is_some());
        steps.extend((0..=count).filter(is_blind).map(Step::List));
        if self.budget > 0 && self.owner.exists {
            for user in users {
                let numbers = match user {
                    User::Edit | User::DeleteOwner => 0..1,
                    User::Lose | User::Restart => 0..count + 1,
                    User::Switch | User::Ignore => 0..count,
                };
                steps.extend(numbers.filter(|index| self.can(*user, *index)).map(|index| Step::User(*user, index)));
            }
        }
        steps
    }

    /// Returns true if only steps of users are left.
    pub(super) fn is_end(&self) -> bool {
        self.steps(&[]).is_empty()
    }

    /// Returns the state after all controllers have done their work, in one of the orders.
    pub(super) fn rolled_out(mut self, planner: Planner) -> Self {
        while let Some(step) = self.steps(&[]).first().copied() {
            self.step(step, planner);
        }
        self
    }

    fn can(&self, user: User, index: usize) -> bool {
        let (runs, is_blind, wakes) = match self.components.get(index) {
            Some(component) => (component.pass.is_some(), component.view.is_some(), component.wakes),
            None => (self.owner.pass.is_some(), self.owner.view.is_some(), self.owner.wakes),
        };
        match user {
            User::Switch | User::Edit | User::DeleteOwner => !self.owner.is_deleting,
            User::Ignore => self.components[index].object.is_some(),
            User::Restart => runs || is_blind,
            User::Lose => !is_blind && !wakes,
        }
    }

    pub(super) fn step(&mut self, step: Step, planner: Planner) {
        self.interrupt(step);
        match step {
            Step::Component(index) => self.component(index, planner),
            Step::Owner => self.run_owner(planner),
            Step::Outside(index) => {
                let component = &mut self.components[index];
                component.effect =
                    if component.effect == ExternalEffect::Comes { ExternalEffect::Works } else { ExternalEffect::None };
                self.wake(index);
            }
            Step::List(index) => self.list(index, planner.lists_again),
            Step::User(user, index) => self.user(user, index, planner),
        }
        if let Interruptions::AtMost(_, running) = &mut self.interruptions {
            let is_running = |index: &u8| {
                let component = self.components.get(usize::from(*index));
                component.map_or_else(|| self.owner.pass.is_some(), |component| component.pass.is_some())
            };
            *running = running.filter(is_running);
        }
    }

    /// Counts the step of another controller while a pass runs.
    fn interrupt(&mut self, step: Step) {
        let stepped = match step {
            Step::Component(index) => Some(index),
            Step::Owner => Some(self.components.len()),
            Step::Outside(_) | Step::List(_) | Step::User(..) => None,
        };
        let stepped = stepped.and_then(|index| u8::try_from(index).ok());
        if let Interruptions::AtMost(left, running) = &mut self.interruptions {
            *left -= u8::from(running.is_some() && *running != stepped);
            *running = stepped;
        }
    }

    /// Lists the objects of a controller again.
    fn list(&mut self, index: usize, wakes: bool) {
        if let Some(component) = self.components.get_mut(index) {
            component.view = None;
            component.wakes |= wakes;
        } else {
            self.owner.view = None;
            self.owner.wakes |= wakes && self.owner.exists;
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
                match self.components.get_mut(index) {
                    Some(component) => component.pass = None,
                    None => self.owner.pass = None,
                }
                self.list(index, true);
            }
            User::Lose => {
                if index < self.components.len() {
                    let view = self.view(index);
                    self.components[index].view = Some(view);
                } else {
                    self.owner.view = Some(self.owner_view());
                }
            }
        }
    }

    fn component(&mut self, index: usize, planner: Planner) {
        let Some(mut pass) = self.components[index].pass.take() else {
            let View { own, targets } = self.view(index);
            self.components[index].wakes = false;
            self.components[index].pass = Some(Pass { own, targets, progress: Progress::Begun, works: false });
            return;
        };
        let next = self.edges.next(index, &pass, || (planner.next)(&self.state_of(index, &pass), &FORMAT));
        self.judge_ignored(&pass, &next);
        if let ComponentLoopAction::End(end) = next {
            self.end(index, &pass, &end, planner);
            return;
        }
        if self.act(index, &mut pass, &next, planner) {
            self.components[index].pass = Some(pass);
        }
    }

    /// Executes an action. Returns true if the pass continues.
    fn act(&mut self, index: usize, pass: &mut Pass, next: &ComponentLoopAction, planner: Planner) -> bool {
        let same = self.components[index].object.filter(|live| pass.own.is_some_and(|own| own.uid == live.uid));
        match next {
            ComponentLoopAction::ConsumeReconcile => {
                if same.is_none() {
                    return false;
                }
                self.write(index, planner, |object| object.asks = false);
            }
            ComponentLoopAction::PlaceOwnFinalizer => {
                if same.is_none_or(|live| live.is_deleting) {
                    return false;
                }
                self.write(index, planner, |object| object.own_finalizer = true);
            }
            ComponentLoopAction::PlaceDependencyFinalizers(slots) => {
                self.hold(index, pass, slots, planner, true);
                return true;
            }
            ComponentLoopAction::ReleaseDependencies(slots) => {
                self.judge_release(index);
                self.hold(index, pass, slots, planner, false);
                return true;
            }
            ComponentLoopAction::Apply => {
                self.judge_apply(index, &pass.targets);
                let is_slow = self.is_slow;
                let effect = &mut self.components[index].effect;
                *effect = if is_slow && *effect != ExternalEffect::Works { ExternalEffect::Comes } else { ExternalEffect::Works };
                pass.works = *effect == ExternalEffect::Works;
                pass.progress = Progress::Applied;
                return true;
            }
            ComponentLoopAction::CleanUp => {
                self.judge_cleanup(index);
                let is_slow = self.is_slow;
                let effect = &mut self.components[index].effect;
                *effect = if is_slow && *effect != ExternalEffect::None { ExternalEffect::Goes } else { ExternalEffect::None };
                pass.progress = Progress::CleanedUp(*effect == ExternalEffect::None);
                return true;
            }
            ComponentLoopAction::ReleaseOwnFinalizer => {
                if same.is_some() {
                    self.judge_release(index);
                    self.write(index, planner, |object| object.own_finalizer = false);
                    self.saw_own(index);
                }
                return false;
            }
            ComponentLoopAction::End(_) => return false,
        }
        pass.own = self.components[index].object;
        self.saw_own(index);
        true
    }

    /// Places the dependency finalizer of a component on targets, or removes it.
    fn hold(&mut self, index: usize, pass: &mut Pass, slots: &[usize], planner: Planner, is_placed: bool) {
        for slot in slots {
            let target = self.targets(index).nth(*slot).unwrap();
            if self.components[target].object.is_some_and(|live| !(is_placed && live.is_deleting)) {
                let bit = 1 << index;
                self.write(target, planner, |object| {
                    object.held_by = if is_placed { object.held_by | bit } else { object.held_by & !bit };
                });
            }
            pass.targets[*slot] = self.components[target].object;
            if let Some(view) = &mut self.components[index].view {
                view.targets[*slot] = pass.targets[*slot];
            }
        }
    }

    /// Shows a controller the answer to its own write, although events are lost.
    fn saw_own(&mut self, index: usize) {
        let component = &mut self.components[index];
        if let Some(view) = &mut component.view {
            view.own = component.object;
        }
    }

    /// Writes the status at the end of a pass.
    fn end(&mut self, index: usize, pass: &Pass, end: &ComponentLoopEnd, planner: Planner) {
        let Some(own) = pass.own else { return };
        if matches!(end, ComponentLoopEnd::Untouched) || self.components[index].object.is_none_or(|live| live.uid != own.uid) {
            return;
        }
        self.write(index, planner, |object| {
            object.has_status = true;
            match end {
                ComponentLoopEnd::Applied if pass.works => {
                    object.applied = Some((own.generation, own.label));
                    object.is_healthy = true;
                }
                ComponentLoopEnd::Applied => object.is_healthy = false,
                ComponentLoopEnd::Dependencies(unready) if !unready.iter().all(|unready| unready.why.is_lag()) => {
                    object.is_healthy = false
                }
                _ => {}
            }
        });
        self.saw_own(index);
    }

    fn run_owner(&mut self, planner: Planner) {
        let Some(mut actions) = self.owner.pass.take() else {
            self.owner.wakes = false;
            self.owner.pass = self.owner.exists.then(|| self.planned(planner));
            return;
        };
        if let Some((index, uid, action)) = actions.pop() {
            self.owner_acts(index, uid, action, planner);
            self.owner.pass = Some(actions);
            return;
        }
        let view = self.owner_view();
        if self.owner.is_deleting && (view.iter().all(Option::is_none) || !planner.awaits_components) {
            self.judge_end_of_owner();
            self.owner.exists = false;
            self.owner.view = None;
        } else {
            self.owner.told = Some(self.tell(&view, planner));
        }
    }

    fn planned(&self, planner: Planner) -> Vec<(usize, Option<u8>, OwnerAction)> {
        let owner = OwnerState {
            provenance: Provenance::new(self.owner.generation.into(), None),
            is_deleting: self.owner.is_deleting,
            asks: false,
        };
        let view = self.owner_view();
        let observe = |(index, found): (usize, &Option<Object>)| found.map(|object| object.observed(TYPES[index]));
        let observed: Vec<Option<Observation>> = view.iter().enumerate().map(observe).collect();
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
        let planned = (planner.plan)(&owner, &views).into_iter().enumerate();
        let planned = planned.map(|(index, (_, action))| (index, view[index].map(|found| found.uid), action));
        planned.filter(|(_, _, action)| !matches!(action, OwnerAction::Nothing | OwnerAction::LeaveAlone)).collect()
    }

    fn owner_acts(&mut self, index: usize, uid: Option<u8>, action: OwnerAction, planner: Planner) {
        let (generation, live) = (self.owner.generation, self.components[index].object);
        let is_same = live.map(|live| live.uid) == uid;
        match action {
            OwnerAction::Create(_) if live.is_none() => {
                self.uids += 1;
                self.components[index].object = Some(Object::new(self.uids, generation));
                self.wake(index);
                self.wake_depending(index);
            }
            OwnerAction::Update(_) if live.is_some_and(|live| is_same && !live.is_deleting) => {
                self.write(index, planner, |object| {
                    object.label = generation;
                    object.own_finalizer &= planner.keeps_finalizers;
                    if object.spec != generation {
                        object.spec = generation;
                        object.generation += 1;
                    }
                });
            }
            OwnerAction::Refresh(_) if is_same => self.write(index, planner, |object| object.label = generation),
            OwnerAction::Delete(change) if is_same => self.write(index, planner, |object| {
                if !object.is_deleting {
                    object.is_deleting = true;
                    object.generation += 1;
                }
                object.asks |= change == OperationChange::Reconcile;
            }),
            _ => {}
        }
        if let Some(view) = &mut self.owner.view {
            view[index] = self.components[index].object;
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
            self.wake_owner();
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
        if own && !new.is_ignored {
            self.wake(index);
        }
        if (status && planner.wakes_owner_by_status) || ignore || old.is_deleting != new.is_deleting {
            self.wake_owner();
        }
        if status || ignore || old.label != new.label || old.is_deleting != new.is_deleting {
            self.wake_depending(index);
        }
    }

    /// Wakes the controller of a component, unless the event is lost.
    fn wake(&mut self, index: usize) {
        let component = &mut self.components[index];
        component.wakes |= component.view.is_none();
    }

    fn wake_owner(&mut self) {
        self.owner.wakes |= self.owner.exists && self.owner.view.is_none();
    }

    fn wake_depending(&mut self, on: usize) {
        for depending in self.depending(on) {
            if self.components[depending].object.is_some_and(|object| !object.is_ignored) {
                self.wake(depending);
            }
        }
    }
}
