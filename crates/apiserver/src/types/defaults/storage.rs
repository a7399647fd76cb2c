//! Defaults of volumes, claims, storage classes and drivers.

use serde_json::json;

use crate::types::edit::{Edit as _, Members, part};

/// Fills in the defaults of a PersistentVolumeClaim (BDF-14): volume mode Filesystem, phase Pending.
pub(super) fn claim(object: &mut Members) {
    object.ensure("spec").fill("volumeMode", "Filesystem");
    object.ensure("status").fill("phase", "Pending");
}

/// Fills in the defaults of a PersistentVolume (BDF-14): phase Pending, reclaim policy Retain, volume mode Filesystem.
pub(super) fn volume(object: &mut Members) {
    object.ensure("status").fill("phase", "Pending");
    let spec = object.ensure("spec");
    spec.fill("persistentVolumeReclaimPolicy", "Retain");
    spec.fill("volumeMode", "Filesystem");
    if let Some(path) = part(spec, "hostPath") {
        path.entry("type").or_insert_with(|| "".into());
    }
}

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
