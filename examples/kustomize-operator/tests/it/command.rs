//! The operator's program, as started by a shell.

use std::process::{Command, Output};

/// Runs the program in an environment without access to a cluster.
fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kustomize-operator"))
        .args(args)
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("RUST_LOG", "off")
        .output()
        .unwrap()
}

// CMD-2
#[test]
fn dev_brings_the_sample_to_ready_and_ends() {
    let output = run(&["dev", "--exit-when-ready"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().any(|line| line.starts_with("Website default/demo: Ready")), "{text}");
}
