//! The results of the rows of a table.

use std::fmt;

/// The results of all rows of a table.
#[derive(Clone, Debug, Default)]
#[must_use = "it says whether rows failed"]
pub struct TableReport {
    /// The results of the rows, in their order.
    pub(super) rows: Vec<RowReport>,
}

/// The result of a row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RowReport {
    /// The name of the row.
    pub name: String,
    /// The end of the row.
    pub end: RowEnd,
}

/// The end of a row: passed, skipped or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowEnd {
    /// The row has no differences.
    Passed,
    /// The row cannot run on this kind of cluster, for this reason.
    Skipped(String),
    /// The row has these differences.
    Failed(Vec<String>),
}

impl TableReport {
    /// Returns the results of the rows, in their order.
    pub fn rows(&self) -> &[RowReport] {
        &self.rows
    }

    /// Returns the differences of a row; empty for a row that passed, was skipped or does not exist.
    pub fn differences(&self, row: &str) -> &[String] {
        let row = self.rows.iter().find(|report| report.name == row);
        match row.map(|report| &report.end) {
            Some(RowEnd::Failed(differences)) => differences,
            _ => &[],
        }
    }

    /// Returns true if a row failed.
    pub fn has_failed(&self) -> bool {
        self.failed().next().is_some()
    }

    fn failed(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.rows.iter().filter_map(|report| match &report.end {
            RowEnd::Failed(differences) => Some((report.name.as_str(), differences.as_slice())),
            _ => None,
        })
    }
}

impl fmt::Display for TableReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} rows failed", self.failed().count(), self.rows.len())?;
        for (name, differences) in self.failed() {
            writeln!(f, "\nrow {name:?}:")?;
            for difference in differences {
                difference.lines().try_for_each(|line| writeln!(f, "  {line}"))?;
            }
        }
        Ok(())
    }
}
