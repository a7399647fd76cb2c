//! The operator's program, as started by a shell.

use std::process::{Command, Output};

use kubewright::machinery::yaml;

/// Runs the program without its logs, in an environment without access to a cluster.
fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chart-operator"));
    command.args(args).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).env("RUST_LOG", "off").output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

// CMD-3
#[test]
fn crds_prints_a_definition_that_keeps_all_values() {
    let documents = yaml::documents(&stdout(&run(&["crds"]))).unwrap();
    assert_eq!(documents[0]["metadata"]["name"], "websites.demo.kubewright.dev");
    let spec = &documents[0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    assert_eq!(spec["x-kubernetes-preserve-unknown-fields"], true);
}

// CMD-2
#[test]
fn dev_brings_the_sample_to_ready_and_ends() {
    let output = run(&["dev", "--exit-when-ready"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}");
    for line in ["Job demo-migration (wave -101): done, Current", "Deployment demo (wave 0): done, Current"] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in {text}");
    }
    assert!(text.lines().any(|line| line.starts_with("Website default/demo: Ready")), "{text}");
}
