use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::dependents::ProjectionContext;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::manifest::{OperatorName, OwnerId};
use kubewright_machinery::object::Key;
use kubewright_runtime::cluster::{ApiResource, Cluster};
use kubewright_runtime::config::CurrentTiming;
use kubewright_runtime::finalizer::FinalizerWriter;
use kubewright_runtime::status::StatusWriter;

use super::Memories;
use super::strays::Strays;
use crate::events::Events;
use crate::kind::Kind;
use crate::lookups::Lookups;
use crate::metrics::Metrics;
use crate::observe::Components;
use crate::references::ReferenceWatches;
use crate::settings::OperatorDefaults;
use crate::targets::Targets;

/// What all passes of one component type share.
pub(crate) struct Shared {
    pub(crate) kind: Box<dyn Kind>,
    /// The name of the component type: the prefix of its marks.
    pub(crate) operator: OperatorName,
    /// The manager of writes to the component itself.
    pub(crate) self_manager: Arc<str>,
    pub(crate) finalizers: FinalizerWriter,
    /// Delays and limits.
    pub(crate) timing: CurrentTiming,
    pub(crate) resource: Arc<ApiResource>,
    /// The cluster of the components, through the layer of the operator's author.
    pub(crate) cluster: Cluster,
    /// When this process began to work.
    pub(crate) started: Timestamp,
    /// The UID of the namespace `kube-system`.
    pub(crate) cluster_id: String,
    pub(crate) components: Components,
    pub(crate) targets: Targets,
    pub(crate) references: ReferenceWatches,
    pub(crate) lookups: Lookups,
    pub(crate) statuses: StatusWriter,
    pub(crate) projection: Arc<ProjectionContext>,
    pub(crate) defaults: OperatorDefaults,
    pub(crate) events: Events,
    pub(crate) metrics: Metrics,
    pub(crate) memories: Memories,
    pub(crate) strays: Strays,
}

impl Shared {
    pub(crate) fn owner(&self, key: &Key) -> OwnerId {
        OwnerId::of_component(&self.cluster_id, key.namespace(), key.name())
    }

    /// The finalizer of components, and of the types that they bring.
    pub(crate) fn finalizer(&self) -> &FinalizerName {
        self.finalizers.name()
    }

    /// The component is gone: nothing is kept for it.
    pub(crate) fn forget(&self, key: &Key) {
        self.memories.forget(key);
        self.targets.forget(key);
        self.references.set(key, &BTreeSet::new());
        self.lookups.forget(key);
        self.metrics.forget(key);
    }
}
