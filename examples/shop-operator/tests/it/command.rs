//! The operator's program, as started by a shell.

use std::process::{Command, Output};

use kubewright::machinery::yaml;
use kubewright::serde_json::Value;

/// Runs the program in an environment without access to a cluster.
fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shop-operator"))
        .args(args)
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("RUST_LOG", "off")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

// CMD-3, CMD-4
#[test]
fn definitions_and_roles_are_those_of_both_kinds() {
    let definitions = yaml::documents(&stdout(&run(&["crds"]))).unwrap();
    let names: Vec<&str> = definitions.iter().filter_map(|definition| definition["metadata"]["name"].as_str()).collect();
    assert_eq!(names, ["caches.demo.kubewright.dev", "databases.demo.kubewright.dev"]);
    let roles = yaml::documents(&stdout(&run(&["rbac", "--prefix", "shop"]))).unwrap();
    let rules: Vec<&Value> = roles.iter().filter_map(|role| role["rules"].as_array()).flatten().collect();
    for resource in ["databases", "databases/status", "caches", "caches/status", "statefulsets", "deployments", "configmaps"] {
        let covers = |rule: &&Value| rule["resources"].as_array().is_some_and(|names| names.iter().any(|name| name == resource));
        assert!(rules.iter().any(covers), "{resource} is missing in {roles:?}");
    }
}

// CMD-2
#[test]
fn dev_brings_both_samples_to_ready_and_ends() {
    let output = run(&["dev", "--exit-when-ready"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for component in ["Database default/shop", "Cache default/shop"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{component}: Ready"))), "{text}");
    }
}
