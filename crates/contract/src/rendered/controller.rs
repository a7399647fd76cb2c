use std::fmt;

use kubewright_component::{Component, ComponentState, ComponentStatus, EmbedsStatus, RenderedSet, Subject};
use kubewright_core::flow::Flow;

use super::WithDependencies;
use crate::context::{ApplyContext, CleanupContext, ComponentPass};
use crate::controller::{ComponentController, Maybe, Ready};
use crate::declaration::ContractComponent;

/// The controller of a component whose dependents a generator renders. `apply` runs a pass of the engine, `<T>Healthy` follows the state of the
/// dependents, and `cleanup` deletes them.
pub struct RenderedComponent<T: ContractComponent> {
    set: RenderedSet<T, WithDependencies<T>>,
}

impl<T: ContractComponent<Private: EmbedsStatus> + Component> RenderedComponent<T> {
    /// Creates the controller of a set that the operator contains.
    pub fn new(set: RenderedSet<T, WithDependencies<T>>) -> Self {
        Self { set }
    }
}

impl<T: ContractComponent<Private: EmbedsStatus> + Component> ComponentController for RenderedComponent<T> {
    type Component = T;

    async fn apply(&self, cx: &ApplyContext<T>, deps: Ready<T>) -> Flow {
        let subject = subject(cx, WithDependencies::ready(cx.component(), deps));
        let mut part = cx.private(|private| private.component_status().clone());
        let outcome = self.set.apply_as(cx.engine(), cx.component(), subject, &mut part).await;
        tell(cx, part);
        outcome
    }

    async fn cleanup(&self, cx: &CleanupContext<T>, deps: Maybe<T>) -> Flow {
        let subject = subject(cx, WithDependencies::maybe(cx.component(), deps));
        let mut part = cx.private(|private| private.component_status().clone());
        let outcome = self.set.delete_as(cx.engine(), cx.component(), subject, &mut part).await;
        tell(cx, part);
        outcome
    }
}

fn subject<T: ContractComponent>(cx: &ComponentPass<T>, subject: WithDependencies<T>) -> Subject<WithDependencies<T>> {
    Subject::new(subject.into(), cx.dependencies_digest())
}

/// Sets condition `<T>Healthy` according to the state (RND-6).
fn tell<T: ContractComponent<Private: EmbedsStatus>>(cx: &ComponentPass<T>, part: ComponentStatus) {
    match part.state {
        Some(ComponentState::Ready) => cx.healthy(),
        // The pass ended before the state was known; its outcome gives the reason.
        None => {}
        Some(_) => cx.unhealthy(part.reason(), part.message()),
    }
    cx.private(|private| *private.component_status_mut() = part);
}

impl<T: ContractComponent> fmt::Debug for RenderedComponent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RenderedComponent").finish()
    }
}
