//! The memory of a replica about components that another replica leads.

use std::collections::BTreeSet;
use std::sync::Arc;

use kubewright_machinery::object::Key;
use kubewright_runtime::controller::ControllerBuckets;
use kubewright_runtime::task::Tasks;

use super::{Own, SharedPassState};
use crate::observe::Residences;
use crate::record::Persisted;
use crate::settings::Effective;

/// Keeps watches on the kinds in the inventories of components that other replicas lead, so that a take-over needs no list (LDR-4).
pub(crate) fn stand_by(shared: Arc<SharedPassState>, own: Arc<Own>, buckets: ControllerBuckets, tasks: &Tasks) {
    let (stop, name) = (tasks.stopping(), format!("standby of {}", buckets.controller()));
    let following = async move {
        let mut changes = own.components.store().changes();
        loop {
            let change = tokio::select! {
                () = stop.cancelled() => return,
                change = changes.next() => change,
            };
            let Some(change) = change else { return };
            if buckets.leads(&change.key) {
                continue;
            }
            if change.new.is_some() {
                shared.watch_dependents(&own, &change.key);
            } else {
                shared.forget(&change.key);
            }
        }
    };
    tasks.spawn(name, following).detach();
}

impl SharedPassState {
    /// Watches the kinds of a component's dependents in the operator's own cluster with its own identity. In other targets only passes watch
    /// them.
    fn watch_dependents(&self, own: &Own, key: &Key) {
        let Some(object) = own.components.find(key) else { return };
        let Ok(instance) = own.kind.decode(&object) else { return };
        let names = (key.namespace(), key.name());
        let Ok(effective) = Effective::of(&instance.settings(), &self.defaults, names) else { return };
        let mut residences = Residences::new();
        if effective.kube_config.is_none() && effective.impersonation.is_none() {
            for item in Persisted::of(&object).component().inventory.items() {
                let key = item.key();
                residences.entry(key.group_kind()).or_default().insert(key.namespace);
            }
        }
        self.targets.local().dependents.use_kinds(key, &residences);
    }

    /// Drops the memory about a component that another replica leads from now on. The watches on its dependents stay.
    pub(crate) fn stand_down(&self, key: &Key) {
        self.memories.forget(key);
        self.targets.leave(key);
        self.references.set(key, &BTreeSet::new());
        self.lookups.forget(key);
        self.metrics.forget(key);
    }
}
