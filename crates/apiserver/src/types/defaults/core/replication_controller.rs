//! Defaults of ReplicationControllers.

use crate::types::defaults::pod_template;
use crate::types::edit::{Edit as _, Members, part};

/// Fills in the defaults of a ReplicationController (BDF-9): one replica, and the selector and labels of its template.
pub(in crate::types::defaults) fn replication_controller(object: &mut Members) {
    let labels = pod_template::template_labels(object);
    if let Some(spec) = part(object, "spec") {
        if let Some(labels) = &labels {
            spec.fill("selector", labels.clone());
        }
        spec.fill("replicas", 1);
        pod_template::template(spec);
    }
    pod_template::label_like_template(object, labels);
}
