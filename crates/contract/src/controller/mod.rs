//! The controller of a component, as its author writes it.

mod constructor;
mod dependencies;

use std::future::Future;

pub use self::constructor::{ConstructedController, ControllerConstructor};
pub use self::dependencies::{Maybe, Ready};
use crate::context::{ApplyContext, CleanupContext};
use crate::declaration::ContractComponent;
use kubewright_core::flow::Flow;

/// The controller of a component. It sees its own component and the dependencies that are declared, never the owner.
pub trait ComponentController: Send + Sync + Sized + 'static {
    /// The component.
    type Component: ContractComponent;

    /// Brings the world to where the component wants it to be. Called when all needed dependencies are ready, and finalizers stand on the component
    /// and on its dependencies.
    fn apply(&self, cx: &ApplyContext<Self::Component>, deps: Ready<Self::Component>) -> impl Future<Output = Flow> + Send;

    /// Undoes that. Called for a component that is being deleted when no other depends on it any more, until it returns `Ok` or `Done`. Dependencies need
    /// not be ready, or there.
    fn cleanup(&self, cx: &CleanupContext<Self::Component>, deps: Maybe<Self::Component>) -> impl Future<Output = Flow> + Send;
}
