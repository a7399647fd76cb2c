//! The operator's program, as started by a shell.

use std::path::PathBuf;
use std::process::{Command, Output};

use kubewright::machinery::yaml;
use podinfo_operator::NAME;

/// Returns the program in an environment without access to a cluster.
fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_podinfo-operator"));
    command.args(args).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the program without its logs.
pub(crate) fn run(args: &[&str]) -> Output {
    program(args).env("RUST_LOG", "off").output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Writes a file in the folder for temporary files of tests, and returns its path.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

// CMD-3
#[test]
fn crds_prints_the_definition() {
    let output = run(&["crds"]);
    assert!(output.status.success());
    let documents = yaml::documents(&stdout(&output)).unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["kind"], "CustomResourceDefinition");
    assert_eq!(documents[0]["metadata"]["name"], "podinfos.demo.kubewright.dev");
}

// CMD-4
#[test]
fn rbac_prints_roles_for_the_component_and_its_dependents() {
    let output = run(&["rbac", "--prefix", "podinfo"]);
    assert!(output.status.success());
    let documents = yaml::documents(&stdout(&output)).unwrap();
    let covers = |resource: &str| {
        documents
            .iter()
            .filter_map(|role| role["rules"].as_array())
            .flatten()
            .any(|rule| rule["resources"].as_array().is_some_and(|resources| resources.iter().any(|name| name == resource)))
    };
    for resource in ["podinfos", "podinfos/status", "configmaps", "deployments", "ingresses", "events"] {
        assert!(covers(resource), "{resource} is missing in {}", stdout(&output));
    }
}

// CMD-5
#[test]
fn version_prints_one_line() {
    let output = run(&["version"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.starts_with(&format!("{NAME} {} ", env!("CARGO_PKG_VERSION"))), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn help_lists_the_commands() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for command in ["run", "dev", "crds", "rbac", "deploy", "version"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(command)), "{command} is missing in {text}");
    }
}

// OPR-6
#[test]
fn an_unknown_flag_is_exit_code_2() {
    let output = run(&["run", "--colour", "red"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("'--colour'"), "{}", stderr(&output));
}

// OPR-6
#[test]
fn a_missing_kubeconfig_is_exit_code_1_and_named() {
    let output = run(&["run", "--kubeconfig", "/nonexistent/config"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("failed to load kubeconfig /nonexistent/config"), "{text}");
    assert!(text.contains("--kubeconfig"), "{text}");
}

// OPR-6
#[test]
fn no_kubeconfig_and_no_cluster_is_exit_code_1_with_a_remedy() {
    let output = run(&["run"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("failed to find a cluster") && text.contains("set $KUBECONFIG"), "{text}");
}

// OPR-6
#[test]
fn a_cluster_that_does_not_answer_is_exit_code_1_and_named() {
    // Nothing listens on port 1.
    let kubeconfig = file(
        "unreachable.kubeconfig",
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
         clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
         contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n",
    );
    let args = ["run", "--kubeconfig", &kubeconfig, "--admin-addr", "off", "--startup-timeout", "1s"];
    let homeless = run(&args);
    assert_eq!(homeless.status.code(), Some(1));
    assert!(stderr(&homeless).contains("name it with --system-namespace"), "{}", stderr(&homeless));
    let output = run(&[&args[..], &["--system-namespace", "podinfo-system"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.starts_with("error: failed to reach the cluster: "), "{text}");
    assert!(text.contains("check that the API server runs"), "{text}");
}

// CMD-2: a script that captures both outputs finds the lines of `dev` alone, not even a warning about the finalizer's name.
#[test]
fn dev_in_a_pipe_logs_nothing_that_users_can_do_nothing_about() {
    let output = program(&["dev", "--exit-when-ready"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    assert!(!stdout(&output).lines().any(|line| line.starts_with('{')), "{}", stdout(&output));
}

// CMD-2: log lines that remain are in a form for humans.
#[test]
fn dev_in_a_pipe_logs_text_and_run_json() {
    let logs = |output: Output| stderr(&output).lines().next().unwrap_or_default().to_owned();
    let dev = logs(program(&["dev", "--exit-when-ready"]).env("RUST_LOG", "kubewright=info").output().unwrap());
    assert!(!dev.is_empty() && !dev.starts_with('{'), "{dev}");
    let run = logs(program(&["run"]).env("RUST_LOG", "podinfo=info,kubewright=info").output().unwrap());
    assert!(run.starts_with('{'), "{run}");
    let chosen = program(&["dev", "--exit-when-ready", "--log-format", "json"]).env("RUST_LOG", "kubewright=info").output();
    assert!(logs(chosen.unwrap()).starts_with('{'));
}

// CMD-2a
#[test]
fn a_wrong_replica_count_exits_with_code_2_and_names_the_allowed_range() {
    for number in ["0", "10", "two"] {
        let output = run(&["dev", "--replicas", number]);
        assert_eq!(output.status.code(), Some(2));
        let text = stderr(&output);
        assert!(text.contains("--replicas") && text.contains(&format!("'{number}'")), "{text}");
    }
    assert!(stderr(&run(&["dev", "--replicas", "0"])).contains("1..=9"));
}

// CMD-2a: a component.
#[test]
fn dev_brings_the_sample_to_ready_with_three_replicas() {
    let output = run(&["dev", "--replicas", "3", "--exit-when-ready"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}\n{}", stderr(&output));
    assert!(text.lines().any(|line| line.starts_with("replica-3: ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("Podinfo default/demo: Ready")), "{text}");
}

// CMD-2
#[test]
fn dev_brings_the_sample_to_ready_and_ends() {
    let output = run(&["dev", "--exit-when-ready"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}\n{}", stderr(&output));
    assert!(!text.contains('\x1b'), "no terminal, no control sequences: {text}");
    for line in ["ConfigMap demo (wave 0): done, Current", "Deployment demo (wave 0): done, Current"] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in {text}");
    }
    assert!(text.lines().any(|line| line.starts_with("Podinfo default/demo: Ready")), "{text}");
    assert!(text.contains("Three things to try"), "{text}");
}
