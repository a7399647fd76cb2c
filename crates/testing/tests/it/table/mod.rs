//! Table tests of a table test: each expectation missing, surplus, and different.

mod inputs;
mod leaks;
mod outcomes;
mod real;
mod requests;
mod rules;
mod widget;

use kubewright_testing::Tier;
use kubewright_testing::table::{RowEnd, TableReport};

/// Whether a test that looks at every detail can run; it says so if not. Each row starts a control plane on a real server, whose uids, versions and names
/// cannot be known.
fn is_embedded_tier() -> bool {
    let is_embedded = Tier::from_env().unwrap() == Tier::Embedded;
    if !is_embedded {
        println!("skipped: compares what only the embedded server repeats");
    }
    is_embedded
}

/// What differs in the only row.
fn only(report: &TableReport) -> String {
    assert_eq!(report.rows().len(), 1);
    match &report.rows()[0].end {
        RowEnd::Failed(differences) => differences.join("\n"),
        other => format!("{other:?}"),
    }
}
