//! The loop around the methods of a component controller (flow-and-contract.md, 13.5): a hand-written reconciler of the runtime.

mod conclude;
mod construct;
mod dangling;
mod give_up;
mod run;
mod status;

use std::fmt;
use std::sync::Arc;

use kubewright_core::finalizer::GiveUp;
use kubewright_core::flow::Flow;
use kubewright_runtime::admin::ControllerWaits;
use kubewright_runtime::reconcile::{Context, Finalize, Reconcile};

pub(crate) use self::construct::LoopConstructor;
pub use self::dangling::Dangling;
use self::dangling::DanglingFinalizers;
pub use self::status::PassStatus;
use crate::controller::ComponentController;
use crate::declaration::{AnyTarget, Terms};

/// The loop around a component controller.
pub struct ComponentLoop<C: ComponentController> {
    controller: C,
    terms: Arc<Terms>,
    /// The names of the component's own finalizer.
    finalizers: Vec<String>,
    /// The targets, in the order of the edges.
    targets: Vec<Box<dyn AnyTarget>>,
    give_up: GiveUp,
    dangling: DanglingFinalizers,
    /// The components that each component waits for.
    waits: ControllerWaits,
}

/// The options of the loop.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoopOptions {
    pub(crate) give_up: GiveUp,
    /// The handling of dangling finalizers. Without one they are removed after the time that the timing defines.
    pub(crate) dangling: Option<Dangling>,
}

impl<C: ComponentController> Reconcile for ComponentLoop<C> {
    type Kind = C::Component;
    type Status = PassStatus<C::Component>;

    async fn reconcile(&self, cx: &Context<C::Component>, _: &C::Component, status: &mut PassStatus<C::Component>) -> Flow {
        self.pass(cx, status).await
    }
}

impl<C: ComponentController> Finalize for ComponentLoop<C> {
    async fn finalize(&self, cx: &Context<C::Component>, _: &C::Component, status: &mut PassStatus<C::Component>) -> Flow {
        self.pass(cx, status).await
    }
}

impl<C: ComponentController> fmt::Debug for ComponentLoop<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentLoop").field("finalizers", &self.finalizers).finish_non_exhaustive()
    }
}
