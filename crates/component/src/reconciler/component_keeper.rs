//! The keeper of a component: the code that reads the component, writes its status, and is told of writes to dependents. It is the component reconciler,
//! or the reconciler of an author in whose pass the engine works.

use async_trait::async_trait;
use kubewright_core::why::WriteVerb;
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_runtime::cluster::ApiError;
use kubewright_runtime::controller::PassContext;
use kubewright_runtime::finalizer::FinalizerWriter;
use kubewright_runtime::status::{StatusWriter, Written};
use serde_json::Value;

use crate::erased::{ErasedKind, Instance};
use crate::observe::ComponentCache;
use crate::record::StatusPath;

/// The components of the component reconciler.
pub(crate) struct Own {
    pub(crate) kind: Box<dyn ErasedKind>,
    pub(crate) finalizers: FinalizerWriter,
    pub(crate) components: ComponentCache,
    pub(crate) statuses: StatusWriter,
}

/// The keeper of the component of a pass.
#[derive(Clone, Copy)]
pub(super) enum ComponentKeeper<'a> {
    /// The component reconciler. The component is its own, with status and finalizer.
    Own {
        /// All components.
        own: &'a Own,
        /// The context of the runner's pass.
        context: &'a PassContext,
    },
    /// A reconciler of the operator's author, in whose pass the engine works. It has a part of the status, and no finalizer.
    Host(&'a dyn Host),
}

/// A predicate that tells whether a change of the status still applies to a newer version of the object.
pub(crate) type Fits<'f> = dyn for<'v> Fn(&'v Value) -> bool + Sync + 'f;

/// A pass of a reconciler of the operator's author.
#[async_trait]
pub(crate) trait Host: Send + Sync {
    /// Returns the object as its type.
    fn instance(&self) -> Box<dyn Instance>;

    /// Returns the path of the framework's part in the status.
    fn status_path(&self) -> &StatusPath;

    /// Notes a write of a dependent.
    fn wrote(&self, verb: WriteVerb, kind: &GroupKind, key: &Key);

    /// Changes the status now, by a merge patch.
    async fn change_status(&self, change: &Value, fits: &Fits<'_>) -> Result<Written, ApiError>;
}

impl ComponentKeeper<'_> {
    /// Returns the path of the framework's part in the status.
    pub(super) fn status_path(&self) -> &StatusPath {
        match self {
            Self::Own { .. } => StatusPath::whole(),
            Self::Host(host) => host.status_path(),
        }
    }
}
