//! Columns of the group node.k8s.io.

use super::{AGE, NAME, Printer, text};

pub(super) static RUNTIME_CLASS: Printer =
    Printer { columns: &[NAME, text("Handler"), AGE], cells: |row| vec![row.name(), row.str("/handler").into(), row.age()] };
