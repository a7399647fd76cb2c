//! Tests of one operator, built as `cargo test` does, on either server (PRF-14).

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use kubewright_testing::Tier;
use serde_json::Value;

use crate::server::Side;

/// Whose tests.
const OPERATOR: &str = "podinfo-operator";
/// Those that do the same on both servers; scenarios of crashes go through more cuts on the embedded one.
const TESTS: &str = "lifecycle::";

/// How long tests of the operator take, with the start of what they need.
pub(crate) fn time(side: Side) -> Duration {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(build);
    let cluster = if side == Side::Real { "real" } else { "embedded" };
    let start = Instant::now();
    let mut tests = Command::new(program);
    let outcome = tests.arg(TESTS).env(Tier::VARIABLE, cluster).current_dir(folder()).stdout(Stdio::null()).status().unwrap();
    assert!(outcome.success(), "the tests of {OPERATOR} fail with {}={cluster}", Tier::VARIABLE);
    start.elapsed()
}

/// Builds the tests as `cargo test` does, and says where they are.
fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["test", "--no-run", "--message-format=json", "--test", "it", "-p", OPERATOR]).current_dir(folder());
    let output = build.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "the tests of {OPERATOR} cannot be built");
    let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut programs = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    programs.next().unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(OPERATOR)
}
