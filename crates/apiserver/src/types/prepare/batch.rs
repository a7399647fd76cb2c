//! Generated selectors of Jobs.

use crate::types::edit::{Edit as _, Members, part};

/// Generates the selector of a Job by its own uid, unless the Job brings a selector (BDF-10).
pub(super) fn job_selector(object: &mut Members) {
    let metadata = |field: &str| object.get("metadata").and_then(|metadata| metadata.get(field)).cloned().unwrap_or_default();
    let (uid, name) = (metadata("uid"), metadata("name"));
    let Some(spec) = part(object, "spec") else {
        return;
    };
    if spec.is_true("manualSelector") {
        return;
    }
    let Some(template) = part(spec, "template") else {
        return;
    };
    let labels = template.ensure("metadata").ensure("labels");
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("job-name", &name),
    ] {
        labels.insert(key.into(), value.clone());
    }
    let labels = labels.clone();
    let selector = spec.ensure("selector").ensure("matchLabels");
    selector.insert("batch.kubernetes.io/controller-uid".into(), uid);
    let own = object.ensure("metadata").ensure("labels");
    if own.is_empty() {
        *own = labels;
    }
}
