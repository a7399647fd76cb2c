//! Columns of volumes, claims and storage classes.

use serde_json::Value;

use super::row::{NONE, PrintedObject, plain};
use super::{AGE, NAME, Printer, text, wide};

pub(super) static CLAIM: Printer = Printer {
    columns: &[
        NAME,
        text("Status"),
        text("Volume"),
        text("Capacity"),
        text("Access Modes"),
        text("StorageClass"),
        text("VolumeAttributesClass"),
        AGE,
        wide("VolumeMode"),
    ],
    cells: |row| {
        let phase = if row.at("/metadata/deletionTimestamp").is_some() { "Terminating" } else { row.str("/status/phase") };
        // The size of a claim is shown once the claim is bound.
        let bound = !row.str("/spec/volumeName").is_empty();
        let capacity = row.at("/status/capacity/storage").filter(|_| bound).map(plain).unwrap_or_default();
        let modes = if bound { access_modes(row, "/status/accessModes") } else { String::new() };
        vec![
            row.name(),
            phase.into(),
            row.str("/spec/volumeName").into(),
            capacity.into(),
            modes.into(),
            row.str("/spec/storageClassName").into(),
            row.str_or("/spec/volumeAttributesClassName", "<unset>"),
            row.age(),
            row.str_or("/spec/volumeMode", "<unset>"),
        ]
    },
};

pub(super) static VOLUME: Printer = Printer {
    columns: &[
        NAME,
        text("Capacity"),
        text("Access Modes"),
        text("Reclaim Policy"),
        text("Status"),
        text("Claim"),
        text("StorageClass"),
        text("VolumeAttributesClass"),
        text("Reason"),
        AGE,
        wide("VolumeMode"),
    ],
    cells: |row| {
        let phase = if row.at("/metadata/deletionTimestamp").is_some() { "Terminating" } else { row.str("/status/phase") };
        let claim = row
            .at("/spec/claimRef")
            .map_or_else(String::new, |_| format!("{}/{}", row.str("/spec/claimRef/namespace"), row.str("/spec/claimRef/name")));
        vec![
            row.name(),
            row.at("/spec/capacity/storage").map(plain).unwrap_or_default().into(),
            access_modes(row, "/spec/accessModes").into(),
            row.str("/spec/persistentVolumeReclaimPolicy").into(),
            phase.into(),
            claim.into(),
            row.str("/spec/storageClassName").into(),
            row.str_or("/spec/volumeAttributesClassName", "<unset>"),
            row.str("/status/reason").into(),
            row.age(),
            row.str_or("/spec/volumeMode", "<unset>"),
        ]
    },
};

pub(super) static CLASS: Printer = Printer {
    columns: &[
        NAME,
        text("Provisioner"),
        text("ReclaimPolicy"),
        text("VolumeBindingMode"),
        ("AllowVolumeExpansion", "string", 0),
        AGE,
    ],
    cells: |row| {
        let is_default = row.object["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true";
        let name = if is_default { format!("{} (default)", row.str("/metadata/name")).into() } else { row.name() };
        vec![
            name,
            row.str("/provisioner").into(),
            row.str_or("/reclaimPolicy", "Delete"),
            row.str_or("/volumeBindingMode", "Immediate"),
            (row.at("/allowVolumeExpansion") == Some(&Value::Bool(true))).into(),
            row.age(),
        ]
    },
};

fn access_modes(row: &PrintedObject<'_>, pointer: &str) -> String {
    let short = |mode: &Value| match mode.as_str() {
        Some("ReadWriteOnce") => "RWO",
        Some("ReadOnlyMany") => "ROX",
        Some("ReadWriteMany") => "RWX",
        Some("ReadWriteOncePod") => "RWOP",
        _ => NONE,
    };
    row.list(pointer).iter().map(short).collect::<Vec<_>>().join(",")
}
