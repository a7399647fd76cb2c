//! Columns of the group resource.k8s.io.

use super::{AGE, NAME, Printer, text};

pub(super) static RESOURCE_CLAIM: Printer = Printer {
    columns: &[NAME, text("State"), AGE],
    cells: |row| {
        let mut states = Vec::new();
        if row.at("/metadata/deletionTimestamp").is_some() {
            states.push("deleted");
        }
        if row.at("/status/allocation").is_some() {
            states.push("allocated");
        } else if states.is_empty() {
            states.push("pending");
        }
        if !row.list("/status/reservedFor").is_empty() {
            states.push("reserved");
        }
        vec![row.name(), states.join(",").into(), row.age()]
    },
};

pub(super) static RESOURCE_SLICE: Printer = Printer {
    columns: &[NAME, text("Node"), text("Driver"), text("Pool"), AGE],
    cells: |row| {
        vec![
            row.name(),
            row.str("/spec/nodeName").into(),
            row.str("/spec/driver").into(),
            row.str("/spec/pool/name").into(),
            row.age(),
        ]
    },
};
