//! The state that all passes of one component type share.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use kubewright_core::dependents::ProjectionContext;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::manifest::{OperatorName, OwnerId};
use kubewright_machinery::object::Key;
use kubewright_runtime::cluster::{ApiResource, Cluster};
use kubewright_runtime::config::CurrentTiming;

use super::Memories;
use super::unlisted_objects::Leftovers;
use crate::events::ComponentEvents;
use crate::lookups::Lookups;
use crate::metrics::ComponentMetrics;
use crate::references::ReferenceWatches;
use crate::settings::OperatorDefaults;
use crate::targets::TargetRegistry;

/// The state that all passes of one component type share.
pub(crate) struct SharedPassState {
    /// The name of the component type, which is the prefix of its marks.
    pub(crate) operator: OperatorName,
    /// The manager of writes to the component itself.
    pub(crate) self_manager: Arc<str>,
    /// The finalizer of components and of the types that they install.
    pub(crate) finalizer: FinalizerName,
    /// True if the passes are those of a reconciler of the operator's author, which has finalizers of its own.
    pub(crate) is_hosted: bool,
    /// Delays and limits.
    pub(crate) timing: CurrentTiming,
    pub(crate) resource: Arc<ApiResource>,
    /// The cluster of the components, through the layer of the operator's author.
    pub(crate) cluster: Cluster,
    /// The time when this process began to work.
    pub(crate) started: Timestamp,
    /// The UID of the namespace `kube-system`, set before the first pass.
    pub(crate) cluster_id: OnceLock<String>,
    pub(crate) targets: TargetRegistry,
    pub(crate) references: ReferenceWatches,
    pub(crate) lookups: Lookups,
    pub(crate) projection: Arc<ProjectionContext>,
    pub(crate) defaults: OperatorDefaults,
    pub(crate) events: ComponentEvents,
    pub(crate) metrics: ComponentMetrics,
    pub(crate) memories: Memories,
    pub(crate) leftovers: Leftovers,
}

impl SharedPassState {
    pub(crate) fn owner(&self, key: &Key) -> OwnerId {
        OwnerId::of_component(self.cluster_id.get().map_or("", String::as_str), key.namespace(), key.name())
    }

    /// Sets the identity of the cluster of the components.
    pub(crate) fn know_cluster(&self, id: String) {
        // The identity does not change, so a second call has no effect.
        drop(self.cluster_id.set(id));
    }

    /// Returns the finalizer.
    pub(crate) fn finalizer(&self) -> &FinalizerName {
        &self.finalizer
    }

    /// Forgets a component that is gone.
    pub(crate) fn forget(&self, key: &Key) {
        self.memories.forget(key);
        self.targets.forget(key);
        self.references.set(key, &BTreeSet::new());
        self.lookups.forget(key);
        self.metrics.forget(key);
    }
}
