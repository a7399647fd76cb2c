//! Columns of the group policy.

use super::row::plain;
use super::{AGE, NAME, Printer, integer, text};

pub(super) static DISRUPTION_BUDGET: Printer = Printer {
    columns: &[NAME, text("Min Available"), text("Max Unavailable"), integer("Allowed Disruptions"), AGE],
    cells: |row| {
        let limit = |pointer: &str| row.at(pointer).map_or_else(|| "N/A".to_owned(), plain).into();
        vec![
            row.name(),
            limit("/spec/minAvailable"),
            limit("/spec/maxUnavailable"),
            row.int("/status/disruptionsAllowed").into(),
            row.age(),
        ]
    },
};
