//! The operator's program, as a shell sees it.

use std::process::Command;

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
