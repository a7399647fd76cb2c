//! Columns of Secrets.

use crate::tables::printers::{AGE, NAME, Printer, text};

pub(in crate::tables::printers) static SECRET: Printer = Printer {
    columns: &[NAME, text("Type"), text("Data"), AGE],
    cells: |row| vec![row.name(), row.str("/type").into(), row.count("/data").into(), row.age()],
};
