//! The properties that must hold. A violation is a panic whose text begins with the name of the property.

use super::private::CANARY;
use super::run::Planner;
use super::world::{Component, ExternalEffect, Object, Pass, TYPES, World};
use super::*;

impl World {
    /// Checks "held": when a component is applied, it holds each dependency that exists, and each one that it needs exists.
    pub(super) fn judge_apply(&self, index: usize, seen: &[Option<Object>]) {
        for ((edge, target), seen) in self.edges[index].iter().zip(self.targets(index)).zip(seen) {
            let live = self.components[target].object;
            let is_held = live.is_some_and(|live| live.held_by & (1 << index) != 0);
            let may_be_absent = edge.kind == EdgeKind::OutlivedBy && seen.is_none_or(|seen| seen.is_ignored);
            let is_going = self.components[index].object.is_some_and(|object| object.is_deleting);
            assert!(
                is_held || may_be_absent || is_going,
                "held: component {index} was applied without its finalizer on {target}: {self:?}"
            );
        }
    }

    /// Checks "order": when a component is cleaned up, no component that needs it is left.
    pub(super) fn judge_cleanup(&self, index: usize) {
        for depending in self.depending(index) {
            let needs = |edge: &Edge| edge.to == TYPES[index] && edge.kind.is_needed();
            let is_needed = self.edges[depending].iter().any(needs);
            let is_left = self.components[depending].effect != ExternalEffect::None && is_needed;
            assert!(!is_left, "order: component {index} was cleaned up while {depending} needs it: {self:?}");
            let held = self.components[index].object.is_some_and(|live| live.held_by != 0);
            assert!(!held, "order: component {index} was cleaned up while it is held: {self:?}");
        }
    }

    /// Checks "lost": while an external effect is left, the component keeps its finalizer, and those on its dependencies.
    pub(super) fn judge_release(&self, index: usize) {
        let is_left = self.components[index].effect != ExternalEffect::None;
        assert!(!is_left, "lost: component {index} releases finalizers while there is something to clean up: {self:?}");
    }

    /// Checks "ignored": a pass that knows of `ignore` on a component sends no request for it.
    pub(super) fn judge_ignored(&self, pass: &Pass, next: &ComponentLoopAction) {
        let touches_own = !matches!(next, ComponentLoopAction::End(ComponentLoopEnd::Untouched));
        let is_ignored = |object: &Option<Object>| object.is_some_and(|object| object.is_ignored);
        assert!(!(touches_own && is_ignored(&pass.own)), "ignored: {next:?} of {pass:?}: {self:?}");
        if let ComponentLoopAction::PlaceDependencyFinalizers(slots) | ComponentLoopAction::ReleaseDependencies(slots) = next {
            let touches = slots.iter().any(|slot| is_ignored(&pass.targets[*slot]));
            assert!(!touches, "ignored: {next:?} of {pass:?}: {self:?}");
        }
    }

    /// Checks "private": the status of the owner contains no confidential text.
    pub(super) fn judge_told(&self, aggregate: &Aggregate) {
        let is_private = |told: &OwnerCondition| {
            let condition = &told.condition;
            [&condition.type_, &condition.reason, &condition.message].iter().any(|text| text.contains(CANARY))
        };
        let found = aggregate.exported.iter().chain([&aggregate.summary]).find(|told| is_private(told));
        assert!(found.is_none(), "private: the owner tells {found:?}: {self:?}");
        let line = aggregate.offending.iter().find(|line| line.contains(CANARY));
        assert!(line.is_none(), "private: the owner tells {line:?}: {self:?}");
    }

    /// Checks "left": the owner is deleted last.
    pub(super) fn judge_end_of_owner(&self) {
        let is_left = self.components.iter().any(|component| component.object.is_some());
        assert!(!is_left, "left: the owner goes before its components: {self:?}");
    }

    /// Checks "left": an external effect never outlives the object that stands for it. Checks "lost": it never outlives the finalizer that announces
    /// its cleanup either.
    pub(super) fn judge_state(&self) {
        for (index, component) in self.components.iter().enumerate() {
            if component.effect != ExternalEffect::None {
                assert!(component.object.is_some(), "left: component {index} is gone and has left something behind: {self:?}");
                let is_kept = component.object.is_some_and(|object| object.own_finalizer);
                assert!(is_kept, "lost: component {index} has no finalizer for what it has to clean up: {self:?}");
            }
        }
    }

    /// Checks "hang": when no event and no pass is left, every deletion has ended and every component is in its desired state, unless a user made
    /// controllers ignore a component.
    pub(super) fn judge_end(&self, planner: Planner) {
        let is_ignored = |component: &Component| component.object.is_some_and(|object| object.is_ignored);
        self.judge_status_of_owner(planner);
        if self.components.iter().any(is_ignored) {
            return;
        }
        assert!(!(self.owner.exists && self.owner.is_deleting), "hang: the owner does not go: {self:?}");
        for (index, component) in self.components.iter().enumerate() {
            let is_configured = self.owner.exists && self.owner.configured & (1 << index) != 0;
            let held = component.object.is_some_and(|object| object.held_by != 0);
            match component.object {
                None => assert!(!is_configured, "hang: component {index} was not created: {self:?}"),
                Some(object) if object.is_deleting => assert!(held, "hang: component {index} does not go: {self:?}"),
                Some(object) => {
                    assert!(is_configured, "hang: component {index} was not deleted: {self:?}");
                    let is_current = object.applied == Some((object.generation, object.label)) && object.is_healthy;
                    assert!(is_current || !self.can_work(index), "hang: component {index} was not applied: {self:?}");
                }
            }
            let holders = (0..self.components.len())
                .filter(|holder| component.object.is_some_and(|live| live.held_by & (1 << holder) != 0));
            for holder in holders {
                let is_there = self.components[holder].object.is_some();
                assert!(is_there, "hang: component {index} has the finalizer of {holder}, which is gone: {self:?}");
            }
        }
    }

    /// Checks "told": the owner's status is that of its components.
    fn judge_status_of_owner(&self, planner: Planner) {
        let live: Vec<Option<Object>> = self.components.iter().map(|component| component.object).collect();
        let is_told = !self.owner.exists || self.owner.told == Some(self.tell(&live, planner));
        assert!(is_told, "told: the status of the owner is outdated: {self:?}");
    }

    /// Returns true if the dependencies of a component let it work: those that it needs work and are not removed.
    fn can_work(&self, index: usize) -> bool {
        self.edges[index].iter().zip(self.targets(index)).all(|(edge, target)| {
            let live = self.components[target].object;
            let holds = live.is_some_and(|live| live.held_by & (1 << index) != 0);
            let stays = live.is_some_and(|live| !live.is_deleting || holds);
            let can_work = !edge.kind.is_needed() || (self.can_work(target) && live.is_some_and(|live| live.is_healthy));
            let is_current = live.is_some_and(|live| live.applied == Some((live.generation, live.label)));
            if edge.kind.is_needed() { stays && can_work && is_current } else { live.is_none() || stays }
        })
    }
}
