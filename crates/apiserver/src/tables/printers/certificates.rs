//! Columns of the group certificates.k8s.io.

use serde_json::Value;

use super::row::NONE;
use super::{AGE, NAME, Printer, text};
use crate::tables::age;

pub(super) static SIGNING_REQUEST: Printer = Printer {
    columns: &[NAME, AGE, text("SignerName"), text("Requestor"), text("RequestedDuration"), text("Condition")],
    cells: |row| {
        let duration =
            row.at("/spec/expirationSeconds").and_then(Value::as_i64).map_or_else(|| NONE.to_owned(), age::human_duration);
        let has = |type_: &str| row.list("/status/conditions").iter().any(|condition| condition["type"] == type_);
        let mut status = match (has("Denied"), has("Approved")) {
            (true, _) => "Denied",
            (false, true) => "Approved",
            (false, false) => "Pending",
        }
        .to_owned();
        if has("Failed") {
            status.push_str(",Failed");
        }
        if !row.str("/status/certificate").is_empty() {
            status.push_str(",Issued");
        }
        vec![
            row.name(),
            row.age(),
            row.str_or("/spec/signerName", NONE),
            row.str("/spec/username").into(),
            duration.into(),
            status.into(),
        ]
    },
};
