//! Defaults of PersistentVolumes and of their claims.

use crate::types::edit::{Edit as _, Members, part};

/// Fills in the defaults of a PersistentVolumeClaim (BDF-14): volume mode Filesystem, phase Pending.
pub(in crate::types::defaults) fn claim(object: &mut Members) {
    object.ensure("spec").fill("volumeMode", "Filesystem");
    object.ensure("status").fill("phase", "Pending");
}

/// Fills in the defaults of a PersistentVolume (BDF-14): phase Pending, reclaim policy Retain, volume mode Filesystem.
pub(in crate::types::defaults) fn volume(object: &mut Members) {
    object.ensure("status").fill("phase", "Pending");
    let spec = object.ensure("spec");
    spec.fill("persistentVolumeReclaimPolicy", "Retain");
    spec.fill("volumeMode", "Filesystem");
    if let Some(path) = part(spec, "hostPath") {
        path.entry("type").or_insert_with(|| "".into());
    }
}
