//! Tests of table tests: each kind of expectation is tested when it is missing, additional and different.

mod inputs;
mod leaks;
mod outcomes;
mod real;
mod requests;
mod rules;
mod widget;

use kubewright_testing::Tier;
use kubewright_testing::table::{RowEnd, TableReport};

/// Returns true if a test that compares every detail can run; prints a message if not. On a real server each row starts a control plane, whose uids,
/// versions and names are not known in advance.
fn is_embedded_tier() -> bool {
    let is_embedded = Tier::from_env().unwrap() == Tier::Embedded;
    if !is_embedded {
        println!("skipped: compares what only the embedded server repeats");
    }
    is_embedded
}

/// Returns the differences of the only row.
fn only(report: &TableReport) -> String {
    assert_eq!(report.rows().len(), 1);
    match &report.rows()[0].end {
        RowEnd::Failed(differences) => differences.join("\n"),
        other => format!("{other:?}"),
    }
}
