//! Defaults of the group storage.k8s.io.

use serde_json::json;

use crate::types::edit::{Edit as _, Members};

/// Fills in the defaults of a StorageClass (BDF-19): reclaim policy Delete, immediate binding.
pub(super) fn class(object: &mut Members) {
    object.fill("reclaimPolicy", "Delete");
    object.fill("volumeBindingMode", "Immediate");
}

/// Fills in the defaults of a CSIDriver (BDF-19): attachment is required, all optional features are off.
pub(super) fn driver(object: &mut Members) {
    let spec = object.ensure("spec");
    spec.fill("attachRequired", true);
    for off in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
        spec.fill(off, false);
    }
    spec.fill("fsGroupPolicy", "ReadWriteOnceWithFSType");
    spec.fill("volumeLifecycleModes", json!(["Persistent"]));
}
