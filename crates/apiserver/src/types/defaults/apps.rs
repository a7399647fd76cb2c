//! Defaults of the group apps.

use serde_json::json;

use super::pod_template;
use crate::types::edit::{Edit as _, Members, each, part};

/// Fills in the defaults of a Deployment (BDF-6): one replica, rolling updates by 25 percent, 10 revisions, a progress deadline of 600 s.
pub(super) fn deployment(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("replicas", 1);
    spec.fill("revisionHistoryLimit", 10);
    spec.fill("progressDeadlineSeconds", 600);
    if let Some(rolling) = rolling_update(spec, "strategy") {
        rolling.fill("maxSurge", "25%");
        rolling.fill("maxUnavailable", "25%");
    }
    pod_template::template(spec);
}

/// Fills in the defaults of a StatefulSet (BDF-7): one replica, ordered pods, rolling updates, retained claims, 10 revisions.
pub(super) fn stateful_set(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("replicas", 1);
    spec.fill("revisionHistoryLimit", 10);
    spec.fill("podManagementPolicy", "OrderedReady");
    if let Some(rolling) = rolling_update(spec, "updateStrategy") {
        rolling.fill("partition", 0);
    }
    let retention = spec.ensure("persistentVolumeClaimRetentionPolicy");
    retention.fill("whenDeleted", "Retain");
    retention.fill("whenScaled", "Retain");
    for claim in each(spec, "volumeClaimTemplates") {
        claim.fill("apiVersion", "v1");
        claim.fill("kind", "PersistentVolumeClaim");
        claim.ensure("spec").fill("volumeMode", "Filesystem");
        claim.ensure("status").fill("phase", "Pending");
    }
    pod_template::template(spec);
}

/// Fills in the defaults of a DaemonSet (BDF-8): rolling updates of one pod at a time, 10 revisions.
pub(super) fn daemon_set(object: &mut Members) {
    // The annotation is set before ownership is computed, so that the author of the object owns it. The server counts the versions of the
    // template in it.
    object.ensure("metadata").ensure("annotations").fill("deprecated.daemonset.template.generation", "0");
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("revisionHistoryLimit", 10);
    if let Some(rolling) = rolling_update(spec, "updateStrategy") {
        rolling.fill("maxUnavailable", 1);
        rolling.fill("maxSurge", 0);
    }
    pod_template::template(spec);
}

/// Fills in the defaults of a ReplicaSet (BDF-9): one replica.
pub(super) fn replica_set(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("replicas", 1);
    pod_template::template(spec);
}

/// Returns the parameters of a strategy, if it is that of rolling updates.
fn rolling_update<'a>(spec: &'a mut Members, strategy: &str) -> Option<&'a mut Members> {
    let strategy = spec.ensure(strategy);
    strategy.fill("type", "RollingUpdate");
    if strategy.get("type") == Some(&json!("RollingUpdate")) { Some(strategy.ensure("rollingUpdate")) } else { None }
}
