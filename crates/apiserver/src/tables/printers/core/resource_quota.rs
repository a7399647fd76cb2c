//! Columns of ResourceQuotas.

use kubewright_machinery::quantity::Quantity;
use serde_json::Value;

use crate::tables::printers::row::{PrintedObject, plain};
use crate::tables::printers::{AGE, NAME, Printer, text};

pub(in crate::tables::printers) static RESOURCE_QUOTA: Printer = Printer {
    columns: &[NAME, text("Request"), text("Limit"), AGE],
    cells: |row| vec![row.name(), quota(row, false).into(), quota(row, true).into(), row.age()],
};

fn quota(row: &PrintedObject<'_>, limits: bool) -> String {
    let hard = row.at("/status/hard").and_then(Value::as_object);
    let amount = |value: &Value| Quantity::from_value(value).map_or_else(|_| plain(value), |quantity| quantity.canonical());
    let used = |name: &str| row.at("/status/used").and_then(|used| used.get(name)).map_or_else(|| "0".to_owned(), amount);
    let entries = hard.into_iter().flatten().filter(|(name, _)| name.starts_with("limits") == limits);
    entries.map(|(name, hard)| format!("{name}: {}/{}", used(name), amount(hard))).collect::<Vec<_>>().join(", ")
}
