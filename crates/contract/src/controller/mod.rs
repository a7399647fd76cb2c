//! The controller of a component, as written by its author.

mod constructor;
mod dependencies;

use std::future::Future;

use kubewright_core::flow::Flow;

pub use self::constructor::{ConstructedController, ControllerConstructor};
pub use self::dependencies::{Maybe, Ready};
use crate::context::{ApplyContext, CleanupContext};
use crate::declaration::ContractComponent;

/// The controller of a component. It has access to its own component and the declared dependencies, never to the owner.
pub trait ComponentController: Send + Sync + Sized + 'static {
    /// The component.
    type Component: ContractComponent;

    /// Creates or changes the objects of the component so that they have the desired state. It is called when all needed dependencies are ready,
    /// and the finalizers are placed on the component and on its dependencies.
    fn apply(&self, cx: &ApplyContext<Self::Component>, deps: Ready<Self::Component>) -> impl Future<Output = Flow> + Send;

    /// Removes the objects of the component. For a component that is being deleted, it is called when no other component depends on it any more,
    /// until it returns `Ok` or `Done`. Dependencies may be unready or absent.
    fn cleanup(&self, cx: &CleanupContext<Self::Component>, deps: Maybe<Self::Component>) -> impl Future<Output = Flow> + Send;
}
