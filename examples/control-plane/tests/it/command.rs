//! The programs, as started by a shell.

use std::process::{Command, Output};

const CHAPTER: &str = include_str!("../../../../docs/src/contracts.md");
const FIRST: &str = include_str!("../../src/bin/first-contract.rs");

fn run(program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).env("RUST_LOG", "off");
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs `dev` until the sample is ready, and expects that these objects have been shown as ready.
fn dev_shows_ready(program: &str, objects: &[&str]) {
    let text = stdout(&run(program, &["dev", "--exit-when-ready"]));
    for object in objects {
        assert!(text.lines().any(|line| line.starts_with(&format!("{object}: ready True"))), "{object} in {text}");
    }
}

// CMD-2
#[test]
fn dev_brings_a_control_plane_and_its_five_components_to_ready_and_ends() {
    let kinds = ["ControlPlane", "ApiServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"];
    let objects = kinds.map(|kind| format!("{kind} default/demo"));
    dev_shows_ready(env!("CARGO_BIN_EXE_control-plane"), &objects.each_ref().map(String::as_str));
}

// CMD-2
#[test]
fn dev_runs_the_first_contract_of_the_book() {
    dev_shows_ready(env!("CARGO_BIN_EXE_first-contract"), &["Shop default/demo", "Database default/demo", "Site default/demo"]);
}

#[test]
fn the_first_contract_of_the_book_is_this_program_and_has_at_most_120_lines() {
    let (start, end) = ("```rust,no_run\n", "```\n");
    let block = CHAPTER.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map(|(block, _)| block);
    assert_eq!(block, Some(FIRST));
    assert!(FIRST.lines().count() <= 120, "{} lines", FIRST.lines().count());
}

// CMD-7, EDGE-3
#[test]
fn the_graph_has_all_components_and_edges() {
    let text = stdout(&run(env!("CARGO_BIN_EXE_control-plane"), &["graph"]));
    for component in ["ApiServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"] {
        assert!(text.contains(component), "{component} in {text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains("-->") || line.contains("-.->")).count(), 8, "{text}");
}
