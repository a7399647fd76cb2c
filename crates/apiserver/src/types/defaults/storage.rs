//! Volumes, claims, and what provides them.

use serde_json::json;

use crate::types::edit::{Edit as _, Members, part};

/// BDF-14
pub(super) fn claim(object: &mut Members) {
    object.ensure("spec").fill("volumeMode", "Filesystem");
    object.ensure("status").fill("phase", "Pending");
}

/// BDF-14
pub(super) fn volume(object: &mut Members) {
    object.ensure("status").fill("phase", "Pending");
    let spec = object.ensure("spec");
    spec.fill("persistentVolumeReclaimPolicy", "Retain");
    spec.fill("volumeMode", "Filesystem");
    if let Some(path) = part(spec, "hostPath") {
        path.entry("type").or_insert_with(|| "".into());
    }
}

/// BDF-19
pub(super) fn class(object: &mut Members) {
    object.fill("reclaimPolicy", "Delete");
    object.fill("volumeBindingMode", "Immediate");
}

/// BDF-19
pub(super) fn driver(object: &mut Members) {
    let spec = object.ensure("spec");
    spec.fill("attachRequired", true);
    for off in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
        spec.fill(off, false);
    }
    spec.fill("fsGroupPolicy", "ReadWriteOnceWithFSType");
    spec.fill("volumeLifecycleModes", json!(["Persistent"]));
}
