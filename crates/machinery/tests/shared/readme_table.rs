//! The table in the README of a crate that a test of the crate writes, or checks.

use std::fs;

/// The path of the file with the table, in the crate that includes this module.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
/// The lines around the table.
const MARKS: (&str, &str) = ("<!-- table: begin -->\n", "<!-- table: end -->");
/// The environment variable with which tests write the table instead of checking it.
const WRITE: &str = "KUBEWRIGHT_WRITE_README";

/// Checks that the table in the README is the result of this run.
pub(crate) fn check_table(table: &str) {
    let readme = fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(MARKS.0).unwrap();
    let (current, after) = rest.split_once(MARKS.1).unwrap();
    if std::env::var_os(WRITE).is_some() {
        fs::write(README, [before, MARKS.0, table, MARKS.1, after].concat()).unwrap();
    } else {
        assert!(current == table, "the table in {README} is not that of this run; {WRITE}=1 writes it");
    }
}
