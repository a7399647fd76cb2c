//! Random histories: both servers answer them alike (DFT-7). Only on the real tier.
//!
//! `KUBEWRIGHT_HISTORIES` is the number of histories of each subject (default 10), `KUBEWRIGHT_HISTORY_SEED` the seed of the first.

use std::fmt::Write as _;

use kubewright_testing::real::{ControlPlane, Options};
use kubewright_testing::script::{Subject, Target, apply_history, compare, history, normalise, run_embedded, run_remote};

/// Requests in one history.
const LENGTH: usize = 40;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

// DFT-7, EVD-4
#[test]
fn both_servers_answer_random_histories_alike() {
    if !crate::is_real_tier() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plane = runtime.block_on(ControlPlane::start(Options::default())).unwrap();
    let real = runtime.block_on(Target::remote(plane.kubeconfig())).unwrap().thrown_away();
    let (first, count) = (number("KUBEWRIGHT_HISTORY_SEED", 1), number("KUBEWRIGHT_HISTORIES", 10));
    let mut failures = String::new();
    let histories = (first..first + count).flat_map(|seed| {
        let subjects = [Subject::ConfigMap, Subject::Deployment].map(|subject| history(subject, seed, LENGTH));
        subjects.into_iter().chain([apply_history(seed, LENGTH)])
    });
    for script in histories {
        println!("{}", script.id);
        let theirs = runtime.block_on(run_remote(&script, &real)).unwrap();
        let ours = run_embedded(&script).unwrap();
        let expected = normalise(&script, &theirs.id, &theirs.answers);
        let found = normalise(&script, &ours.id, &ours.answers);
        let steps = script.steps.iter().zip(expected.iter().zip(&found));
        let mut differences = steps.flat_map(|(step, (expected, found))| compare(step, expected, found));
        // What comes after the first difference often follows from it.
        if let Some(difference) = differences.find(|difference| !difference.is_weak) {
            writeln!(failures, "{}: {difference}", script.id).unwrap();
        }
    }
    assert!(failures.is_empty(), "histories differ:\n{failures}");
}
