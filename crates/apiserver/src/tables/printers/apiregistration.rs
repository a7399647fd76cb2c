//! Columns of the group apiregistration.k8s.io.

use super::row::or;
use super::{AGE, NAME, Printer, text};

pub(super) static API_SERVICE: Printer = Printer {
    columns: &[NAME, text("Service"), text("Available"), AGE],
    cells: |row| {
        let service = match (row.str("/spec/service/namespace"), row.str("/spec/service/name")) {
            (_, "") => "Local".to_owned(),
            (namespace, name) => format!("{namespace}/{name}"),
        };
        let available = row.list("/status/conditions").iter().find(|condition| condition["type"] == "Available");
        let available = available.map_or_else(
            || "Unknown".to_owned(),
            |condition| match (condition["status"].as_str().unwrap_or_default(), condition["reason"].as_str().unwrap_or_default())
            {
                ("True", _) => "True".to_owned(),
                (status, reason) => format!("{} ({reason})", or(status, "Unknown")),
            },
        );
        vec![row.name(), service.into(), available.into(), row.age()]
    },
};
