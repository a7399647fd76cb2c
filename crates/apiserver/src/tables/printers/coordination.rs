//! Columns of the group coordination.k8s.io.

use super::{AGE, NAME, Printer, text};

pub(super) static LEASE: Printer = Printer {
    columns: &[NAME, text("Holder"), AGE],
    cells: |row| vec![row.name(), row.str("/spec/holderIdentity").into(), row.age()],
};
