//! Columns of PersistentVolumes and of their claims.

use serde_json::Value;

use crate::tables::printers::row::{NONE, PrintedObject, plain};
use crate::tables::printers::{AGE, NAME, Printer, text, wide};

pub(in crate::tables::printers) static CLAIM: Printer = Printer {
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

pub(in crate::tables::printers) static VOLUME: Printer = Printer {
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
