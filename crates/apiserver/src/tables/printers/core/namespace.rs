//! Columns of namespaces.

use crate::tables::printers::{AGE, NAME, Printer, text};

pub(in crate::tables::printers) static NAMESPACE: Printer =
    Printer { columns: &[NAME, text("Status"), AGE], cells: |row| vec![row.name(), row.str("/status/phase").into(), row.age()] };
