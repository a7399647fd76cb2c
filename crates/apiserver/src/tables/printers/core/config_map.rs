//! Columns of ConfigMaps.

use crate::tables::printers::{AGE, NAME, Printer, text};

pub(in crate::tables::printers) static CONFIG_MAP: Printer = Printer {
    columns: &[NAME, text("Data"), AGE],
    cells: |row| vec![row.name(), (row.count("/data") + row.count("/binaryData")).into(), row.age()],
};
