//! Columns of the group scheduling.k8s.io.

use serde_json::Value;

use super::{AGE, NAME, Printer, boolean, integer, text};

pub(super) static PRIORITY_CLASS: Printer = Printer {
    columns: &[NAME, integer("Value"), boolean("Global-Default"), AGE, text("PreemptionPolicy")],
    cells: |row| {
        vec![
            row.name(),
            row.int("/value").into(),
            (row.at("/globalDefault") == Some(&Value::Bool(true))).into(),
            row.age(),
            row.str_or("/preemptionPolicy", "PreemptLowerPriority"),
        ]
    },
};
