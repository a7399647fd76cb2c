//! Columns of ComponentStatuses.

use crate::tables::printers::{NAME, Printer, text};

pub(in crate::tables::printers) static COMPONENT_STATUS: Printer = Printer {
    columns: &[NAME, text("Status"), text("Message"), text("Error")],
    cells: |row| {
        let healthy = row.list("/conditions").iter().find(|condition| condition["type"] == "Healthy");
        let part = |field: &str| healthy.and_then(|condition| condition[field].as_str()).unwrap_or_default();
        let status = match healthy {
            Some(condition) if condition["status"] == "True" => "Healthy",
            Some(_) => "Unhealthy",
            None => "Unknown",
        };
        vec![row.name(), status.into(), part("message").into(), part("error").into()]
    },
};
