//! Columns of events, of the core group and of events.k8s.io.

use crate::tables::printers::{Printer, text, wide};

/// The columns of an Event in both of its API versions, which name some fields differently.
pub(in crate::tables::printers) static EVENT: Printer = Printer {
    columns: &[
        text("Last Seen"),
        text("Type"),
        text("Reason"),
        text("Object"),
        wide("Subobject"),
        wide("Source"),
        text("Message"),
        wide("First Seen"),
        wide("Count"),
        ("Name", "string", 1),
    ],
    cells: |row| {
        let either =
            |pointers: &[&str]| pointers.iter().map(|pointer| row.str(pointer)).find(|text| !text.is_empty()).unwrap_or_default();
        let time = |pointers: &[&str]| {
            let pointer = pointers.iter().find(|pointer| !row.str(pointer).is_empty());
            pointer.map_or_else(|| "<unknown>".to_owned(), |pointer| row.since(pointer))
        };
        let regarding = |field: &str| either(&[&format!("/involvedObject/{field}"), &format!("/regarding/{field}")]);
        let source = match (
            either(&["/source/component", "/deprecatedSource/component"]),
            either(&["/source/host", "/deprecatedSource/host"]),
        ) {
            ("", _) => either(&["/reportingComponent", "/reportingController"]).to_owned(),
            (component, "") => component.to_owned(),
            (component, host) => format!("{component}, {host}"),
        };
        let count = match row.int("/series/count") {
            0 => row.int("/count").max(row.int("/deprecatedCount")).max(1),
            count => count,
        };
        vec![
            time(&["/series/lastObservedTime", "/lastTimestamp", "/deprecatedLastTimestamp", "/firstTimestamp", "/eventTime"])
                .into(),
            row.str("/type").into(),
            row.str("/reason").into(),
            format!("{}/{}", regarding("kind").to_lowercase(), regarding("name")).into(),
            regarding("fieldPath").into(),
            source.into(),
            either(&["/message", "/note"]).trim().into(),
            time(&["/firstTimestamp", "/deprecatedFirstTimestamp", "/eventTime"]).into(),
            count.into(),
            row.name(),
        ]
    },
};
