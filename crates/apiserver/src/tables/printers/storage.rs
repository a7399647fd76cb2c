//! Columns of the group storage.k8s.io.

use serde_json::Value;

use super::row::{PrintedObject, or_none};
use super::{AGE, NAME, Printer, boolean, integer, text};

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

pub(super) static CSI_DRIVER: Printer = Printer {
    columns: &[
        NAME,
        boolean("AttachRequired"),
        boolean("PodInfoOnMount"),
        boolean("StorageCapacity"),
        text("TokenRequests"),
        boolean("RequiresRepublish"),
        text("Modes"),
        AGE,
    ],
    cells: |row| {
        let tokens: Vec<_> =
            row.list("/spec/tokenRequests").iter().map(|token| token["audience"].as_str().unwrap_or_default()).collect();
        let modes: Vec<_> = row.list("/spec/volumeLifecycleModes").iter().filter_map(Value::as_str).collect();
        vec![
            row.name(),
            (row.at("/spec/attachRequired") != Some(&Value::Bool(false))).into(),
            truth(row, "/spec/podInfoOnMount"),
            truth(row, "/spec/storageCapacity"),
            if tokens.is_empty() { "<unset>".into() } else { tokens.join(",").into() },
            truth(row, "/spec/requiresRepublish"),
            or_none(modes.join(",")).into(),
            row.age(),
        ]
    },
};

pub(super) static CSI_NODE: Printer = Printer {
    columns: &[NAME, integer("Drivers"), AGE],
    cells: |row| vec![row.name(), row.list("/spec/drivers").len().into(), row.age()],
};

pub(super) static VOLUME_ATTACHMENT: Printer = Printer {
    columns: &[NAME, text("Attacher"), text("PV"), text("Node"), boolean("Attached"), AGE],
    cells: |row| {
        vec![
            row.name(),
            row.str("/spec/attacher").into(),
            row.str("/spec/source/persistentVolumeName").into(),
            row.str("/spec/nodeName").into(),
            truth(row, "/status/attached"),
            row.age(),
        ]
    },
};

pub(super) static ATTRIBUTES_CLASS: Printer = Printer {
    columns: &[NAME, text("DriverName"), AGE],
    cells: |row| {
        let is_default = row.object["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true";
        let name = if is_default { format!("{} (default)", row.str("/metadata/name")).into() } else { row.name() };
        vec![name, row.str("/driverName").into(), row.age()]
    },
};

fn truth(row: &PrintedObject<'_>, pointer: &str) -> Value {
    (row.at(pointer) == Some(&Value::Bool(true))).into()
}
