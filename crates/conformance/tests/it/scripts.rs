//! The request scripts: the embedded server gives the same answers as the real server, both recorded and live.

use std::fmt::Write as _;
use std::path::Path;

use kubewright_conformance::execution::{RealServer, run_all_remote};
use kubewright_conformance::library::Library;
use kubewright_conformance::results::{README_VARIABLE, Report, ScriptResult, compare_embedded, replay, table};
use kubewright_conformance::script::{Script, ScriptStep};
use serde_json::Value;

use crate::is_real_tier;

/// The path of the file with the table.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../apiserver/README.md");
/// The lines around the table.
const MARKS: (&str, &str) = ("<!-- table: begin -->\n", "<!-- table: end -->");

fn save(library: &Library, report: &Report, versus: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    std::fs::write(folder.join("apiserver-report.md"), report.markdown(library, versus)).unwrap();
}

// DFT-3, DFT-5, DFT-6, DFT-9, EVD-3
#[test]
fn the_embedded_server_answers_scripts_as_the_real_one_did() {
    let library = Library::own().unwrap();
    let results = library.scripts.iter().map(|file| replay(&file.script, &library.deviations));
    let report = Report::new(&library, results.collect(), true);
    save(&library, &report, "recorded answers of a real one");
    let failures = report.failures();
    assert!(failures.is_empty(), "the scripts differ (crates/conformance/scripts/README.md says what to do):\n{failures}");
    check_table(&table(&library, &report));
}

/// Checks that the table in the README is the result of this run.
fn check_table(table: &str) {
    let readme = std::fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(MARKS.0).unwrap();
    let (current, after) = rest.split_once(MARKS.1).unwrap();
    if std::env::var_os(README_VARIABLE).is_some() {
        let mut text = String::new();
        write!(text, "{before}{}{table}{}{after}", MARKS.0, MARKS.1).unwrap();
        std::fs::write(README, text).unwrap();
    } else {
        assert!(
            current == table,
            "the table in crates/apiserver/README.md is not that of this run; {README_VARIABLE}=1 writes it"
        );
    }
}

// EVD-10
#[test]
fn scripts_name_rules_that_exist() {
    let library = Library::own().unwrap();
    for file in &library.scripts {
        for step in &file.script.steps {
            for row in file.script.rows_of(step) {
                assert!(library.rows.has(row), "{} step {}: there is no rule {row:?}", file.script.id, step.id);
            }
            assert!(step.expect.is_some() || !step.join.is_empty(), "{} step {} is not recorded", file.script.id, step.id);
        }
    }
}

/// The server picks any range of its family (IPv4) for a dry run of a service, also one that is not ready, and then refuses the service. A script
/// that creates such a range would make dry runs of scripts beside it fail by chance.
#[test]
fn scripts_that_create_ipv4_service_ranges_run_alone() {
    let creates_range = |step: &ScriptStep| {
        let ranges = step.body.as_ref().and_then(|body| body.pointer("/spec/cidrs")).unwrap_or(&Value::Null);
        let is_ipv4 = ranges.as_array().is_some_and(|ranges| ranges.iter().any(|range| range.as_str().unwrap().contains('.')));
        is_ipv4 && step.expect.as_ref().is_some_and(|answer| answer.code == 201)
    };
    let library = Library::own().unwrap();
    for Script { id, header, steps, .. } in library.scripts.iter().map(|file| &file.script) {
        assert!(!header.alone.is_empty() || !steps.iter().any(creates_range), "{id}: give the range of services an IPv6 prefix");
    }
}

// EVD-8: only on the real tier.
#[test]
fn both_servers_answer_scripts_alike() {
    if !is_real_tier() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let real = runtime.block_on(RealServer::start()).unwrap();
    let library = Library::own().unwrap();
    let scripts: Vec<&Script> = library.scripts.iter().map(|file| &file.script).collect();
    let expected = runtime.block_on(run_all_remote(&scripts, real.target()));
    let results = scripts.iter().zip(expected).map(|(script, expected)| match expected {
        Ok(expected) => compare_embedded(script, &expected, &library.deviations),
        Err(error) => ScriptResult::broken(script, format!("failed to {error}")),
    });
    let report = Report::new(&library, results.collect(), true);
    save(&library, &report, "a live real one");
    let failures = report.failures();
    assert!(failures.is_empty(), "the servers differ:\n{failures}");
}
