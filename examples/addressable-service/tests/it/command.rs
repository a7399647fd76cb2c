//! The operator's program, as started by a shell.

use std::process::Command;

// CMD-2a
#[test]
fn dev_runs_replicas_that_share_the_work() {
    let mut dev = Command::new(env!("CARGO_BIN_EXE_addressable-service"));
    dev.args(["dev", "--replicas", "2", "--exit-when-ready"]).env_clear();
    let output = dev.env("HOME", env!("CARGO_TARGET_TMPDIR")).env("RUST_LOG", "off").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains('\x1b') && !text.contains("kill this replica"), "no terminal, no keys: {text}");
    for replica in ["replica-1", "replica-2"] {
        assert!(text.lines().any(|line| line == format!("{replica}: starting")), "{text}");
        let works = |line: &str| ["leading 0", "standby"].iter().any(|state| line.starts_with(&format!("{replica}: {state}")));
        assert!(text.lines().any(works), "{text}");
    }
    assert!(text.lines().any(|line| line.ends_with("-of-02")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("AddressableService default/web: ready True")), "{text}");
}

// CMD-2
#[test]
fn dev_brings_the_samples_of_both_kinds_to_ready_and_ends() {
    let mut dev = Command::new(env!("CARGO_BIN_EXE_addressable-service"));
    dev.args(["dev", "--exit-when-ready"]).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).env("RUST_LOG", "off");
    let output = dev.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for object in ["AddressableService default/web", "SimpleDeployment default/web"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{object}: ready True"))), "{text}");
    }
}
