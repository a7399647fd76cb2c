//! The loop of an owner (flow-and-contract.md, 13.10): a hand-written reconciler of the runtime that generates components.

mod component;
mod conclude;
mod construct;
mod delete;
mod generate;
mod internal;
mod namespace;
mod run;
mod status;
mod write;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use kubewright_core::child::LastWrite;
use kubewright_core::contract::ComponentType;
use kubewright_core::finalizer::GiveUp;
use kubewright_core::flow::Flow;
use kubewright_machinery::object::Key;
use kubewright_runtime::admin::ControllerWaits;
use kubewright_runtime::reconcile::{Context, Finalize, Reconcile};
use parking_lot::Mutex;

use self::component::OpenComponent;
pub(crate) use self::construct::OwnerConstructor;
use self::internal::InternalObjects;
use self::namespace::NamespaceLabels;
pub use self::status::OwnerPassStatus;
use crate::declaration::{Contract, Terms};

/// The loop of the owner of a contract.
pub struct OwnerLoop<C: Contract> {
    terms: Arc<Terms>,
    /// The components, in the order of their declaration.
    components: Vec<OpenComponent<C>>,
    /// The indices of the components in `components`, in the groups in which they are created: components that others depend on come first.
    creation: Vec<Vec<usize>>,
    internal: InternalObjects<C>,
    namespaces: NamespaceLabels,
    give_up: GiveUp,
    /// The name of the controller, which components carry in a label.
    controller: Arc<str>,
    /// The field manager of components.
    manager: String,
    /// The owners whose annotation `reconcile` was consumed and has not reached all components yet.
    asked: Mutex<HashSet<Key>>,
    /// The last writes of components that the server stored in another form than they were sent.
    writes: Mutex<HashMap<(Key, ComponentType), LastWrite>>,
    /// The components that each owner waits for.
    waits: ControllerWaits,
}

impl<C: Contract> Reconcile for OwnerLoop<C> {
    type Kind = C::Owner;
    type Status = OwnerPassStatus<C>;

    async fn reconcile(&self, cx: &Context<C::Owner>, owner: &C::Owner, status: &mut OwnerPassStatus<C>) -> Flow {
        self.apply(cx, owner, status).await
    }
}

impl<C: Contract> Finalize for OwnerLoop<C> {
    async fn finalize(&self, cx: &Context<C::Owner>, owner: &C::Owner, status: &mut OwnerPassStatus<C>) -> Flow {
        self.delete(cx, owner, status).await
    }
}

impl<C: Contract> fmt::Debug for OwnerLoop<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerLoop").field("components", &self.components.len()).finish_non_exhaustive()
    }
}
