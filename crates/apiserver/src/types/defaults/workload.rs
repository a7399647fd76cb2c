//! Objects that keep pods running.

use serde_json::{Map, Value, json};

use super::pod;
use crate::types::edit::{Edit as _, Members, at, each, part};

/// BDF-6
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
    pod::template(spec);
}

/// BDF-7
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
    pod::template(spec);
}

/// BDF-8
pub(super) fn daemon_set(object: &mut Members) {
    // The author of the object owns what the server counts there.
    object.ensure("metadata").ensure("annotations").fill("deprecated.daemonset.template.generation", "0");
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("revisionHistoryLimit", 10);
    if let Some(rolling) = rolling_update(spec, "updateStrategy") {
        rolling.fill("maxUnavailable", 1);
        rolling.fill("maxSurge", 0);
    }
    pod::template(spec);
}

/// BDF-9
pub(super) fn replica_set(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("replicas", 1);
    pod::template(spec);
}

/// BDF-9
pub(super) fn replication_controller(object: &mut Members) {
    let labels = template_labels(object);
    if let Some(spec) = part(object, "spec") {
        if let Some(labels) = &labels {
            spec.fill("selector", labels.clone());
        }
        spec.fill("replicas", 1);
        pod::template(spec);
    }
    label_like_template(object, labels);
}

/// The labels of the object's pods, if there are any.
pub(super) fn template_labels(object: &mut Members) -> Option<Map<String, Value>> {
    let labels = at(object, &["spec", "template", "metadata", "labels"])?;
    (!labels.is_empty()).then(|| labels.clone())
}

/// An object without labels gets those of its pods.
pub(super) fn label_like_template(object: &mut Members, labels: Option<Map<String, Value>>) {
    if let Some(labels) = labels {
        object.ensure("metadata").fill("labels", labels);
    }
}

/// The parameters of the strategy, if it is that of rolling updates.
fn rolling_update<'a>(spec: &'a mut Members, strategy: &str) -> Option<&'a mut Members> {
    let strategy = spec.ensure(strategy);
    strategy.fill("type", "RollingUpdate");
    if strategy.get("type") == Some(&json!("RollingUpdate")) { Some(strategy.ensure("rollingUpdate")) } else { None }
}
