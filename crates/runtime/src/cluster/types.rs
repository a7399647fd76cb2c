use kubewright_machinery::object::GroupKind;

use super::{Cluster, Discovery};
use crate::watch::{Cause, Change, ProjectedStore, WatchSpec, WatchState, Watches, presence};

/// Keeps discovery up to date by watching definitions and aggregated services, without their contents.
pub(super) fn follow(cluster: &Cluster) -> impl Future<Output = ()> + Send + use<> {
    let discovery = cluster.discovery().clone();
    let watches = cluster.watches().clone();
    async move { follow_both(&discovery, &watches).await }
}

async fn follow_both(discovery: &Discovery, watches: &Watches) {
    let store =
        |group: &str, kind: &str| watches.subscribe(WatchSpec::new(GroupKind::new(group, kind)).metadata_only(), presence());
    let definitions = store("apiextensions.k8s.io", "CustomResourceDefinition");
    let services = store("apiregistration.k8s.io", "APIService");
    let (mut definition_changes, mut service_changes) = (definitions.changes(), services.changes());
    let (mut definition_status, mut service_status) = (definitions.status_changes(), services.status_changes());
    let mut followed = false;
    loop {
        let follows = follows(&definitions) && follows(&services);
        discovery.set_watched(follows);
        if follows && !followed {
            // The first list does not show changes between the last read of the types and itself. Reading now makes the types known before a caller waits for
            // them; a failure is met again by the next caller that needs a type.
            discovery.invalidate();
            drop(discovery.all().await);
        }
        followed = follows;
        // The stores live as long as this task, so the streams do not end.
        tokio::select! {
            change = definition_changes.next() => take(discovery, change.as_ref()),
            change = service_changes.next() => take(discovery, change.as_ref()),
            () = definition_status.changed() => {}
            () = service_status.changed() => {}
        }
    }
}

fn take(discovery: &Discovery, change: Option<&Change<()>>) {
    if change.is_some_and(|change| change.cause != Cause::Initial) {
        discovery.invalidate();
    }
}

/// Returns true if the watch shows all changes. A type that is not served has no objects whose changes could be missed.
fn follows(store: &ProjectedStore<()>) -> bool {
    matches!(store.status().state, WatchState::Watching | WatchState::NotServed)
}
