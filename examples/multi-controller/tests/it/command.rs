//! The operator's program, as started by a shell.

use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multi-controller"));
    command.args(args).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).env("RUST_LOG", "off");
    command.output().unwrap()
}

// CMD-2
#[test]
fn dev_brings_the_samples_of_all_kinds_to_ready_and_ends() {
    let output = run(&["dev", "--exit-when-ready"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for object in ["Team default/billing", "Team default/search", "Access default/billing-edits", "Report default/summary"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{object}: ready True"))), "{object} in {text}");
    }
}

// CMD-4, LDR-6
#[test]
fn the_roles_are_those_of_all_controllers_and_of_the_task() {
    let output = run(&["rbac"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for resource in ["teams/status", "accesses/status", "reports", "serviceaccounts", "rolebindings", "clusterroles", "leases"] {
        assert!(text.contains(resource), "{resource} is missing in {text}");
    }
}
