//! Tests of one operator, built as `cargo test` does, on either server (PRF-14).

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::{build, server::Side};
use kubewright_testing::Tier;

/// Whose tests.
const OPERATOR: &str = "podinfo-operator";
/// Those that do the same on both servers; scenarios of crashes go through more cuts on the embedded one.
const TESTS: &str = "lifecycle::";

/// How long tests of the operator take, with the start of what they need.
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
