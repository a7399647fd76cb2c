//! The stages of `.ci/run`: the filters of tests that they name.

use crate::repository::Text;

/// The file whose tests run programs of other clients.
const CLIENTS: &str = "crates/conformance/tests/it/clients/mod.rs";
/// The file of the tests of leases that are shared with a program in Go.
const LEASES: &str = "crates/kubewright/tests/it/leadership/shared_with_go.rs";
/// The file of the tests that compare templates with Go's.
const TEMPLATES: &str = "crates/template/tests/it/differential.rs";

/// Returns the filters of the stage for programs of clients.
fn filters(script: &str) -> Vec<&str> {
    let programs = script.lines().find_map(|line| line.trim().strip_prefix("local programs=(")).unwrap();
    let (_, words) = programs.trim_end_matches(')').split_once(" -- ").unwrap();
    words.split(' ').filter(|word| !word.starts_with("--")).collect()
}

/// Returns the paths of the tests of a file.
fn tests(path: &str) -> Vec<String> {
    let (_, module) = path.trim_end_matches(".rs").trim_end_matches("/mod").split_once("/it/").unwrap();
    let module = module.replace('/', "::");
    let text = Text::read(path);
    let mut lines = text.content.lines();
    let mut tests = Vec::new();
    while lines.by_ref().any(|line| line.starts_with("#[tokio::test") || line == "#[test]") {
        let name = lines.by_ref().find_map(|line| line.trim_start_matches("async ").strip_prefix("fn "));
        tests.extend(name.and_then(|name| name.split('(').next()).map(|name| format!("{module}::{name}")));
    }
    tests
}

// A filter that selects nothing does not fail.
#[test]
fn the_stage_of_clients_runs_all_tests_with_programs() {
    let script = Text::read(".ci/run").content;
    let filters = filters(&script);
    for (path, least) in [(CLIENTS, 3), (LEASES, 1), (TEMPLATES, 1)] {
        let tests = tests(path);
        assert!(tests.len() >= least, "{path}: {tests:?}");
        for test in tests {
            assert!(filters.iter().any(|filter| test.contains(filter)), "{test} is selected by none of {filters:?}");
        }
    }
    assert!(!filters.iter().any(|filter| "clients::kube_rs::a_derived_definition".contains(filter)), "{filters:?}");
}
