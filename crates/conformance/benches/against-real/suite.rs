//! The tests of one operator, built as `cargo test` does, on either server (PRF-14).

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kubewright_testing::Tier;

use crate::build;
use crate::server::Side;

/// The operator whose tests run.
const OPERATOR: &str = "podinfo-operator";
/// The tests that do the same on both servers; crash scenarios have more cuts on the embedded server.
const TESTS: &str = "lifecycle::";

/// Measures the duration of the operator's tests, including the start of the servers that they need.
pub(crate) fn time(side: Side) -> Duration {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| build::program("test", &["--no-run", "--test", "it", "-p", OPERATOR], &folder()));
    let cluster = if side == Side::Real { "real" } else { "embedded" };
    let start = Instant::now();
    let mut tests = Command::new(program);
    let outcome = tests.arg(TESTS).env(Tier::VARIABLE, cluster).current_dir(folder()).stdout(Stdio::null()).status().unwrap();
    assert!(outcome.success(), "the tests of {OPERATOR} fail with {}={cluster}", Tier::VARIABLE);
    start.elapsed()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(OPERATOR)
}
