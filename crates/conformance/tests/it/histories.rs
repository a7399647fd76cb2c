//! Random histories: both servers give the same answers (DFT-7, only on the real tier), and the embedded server keeps its invariants.
//!
//! `KUBEWRIGHT_HISTORIES` is the number of histories of each subject (default 10), `KUBEWRIGHT_HISTORY_SEED` the seed of the first.

use std::fmt::Write as _;

use kubewright_conformance::answers::{compare, normalise};
use kubewright_conformance::execution::{RealServer, run_all_remote, run_embedded};
use kubewright_conformance::histories::{HistorySubject, apply_history, history, objects, schema, schema_history};
use kubewright_conformance::script::Script;
use kubewright_schema::Schema;
use serde_json::Value;

/// The number of requests in one history.
const LENGTH: usize = 40;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The number of requests about the objects of one random definition.
const SCHEMA_LENGTH: usize = 25;

/// Returns the first difference of each history between the two servers.
fn differences(histories: impl Iterator<Item = Script>) -> String {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let real = runtime.block_on(RealServer::start()).unwrap();
    let mut failures = String::new();
    let histories: Vec<Script> = histories.collect();
    let theirs = runtime.block_on(run_all_remote(&histories.iter().collect::<Vec<_>>(), real.target()));
    for (script, expected) in histories.iter().zip(theirs) {
        let expected = expected.unwrap_or_else(|error| panic!("{}: failed to {error}", script.id));
        let ours = run_embedded(script).unwrap();
        let found = normalise(script, &ours.id, &ours.answers);
        let steps = script.steps.iter().zip(expected.iter().zip(&found));
        let mut differences = steps.flat_map(|(step, (expected, found))| compare(step, expected, found));
        // Later differences often follow from the first one.
        if let Some(difference) = differences.find(|difference| !difference.is_weak) {
            writeln!(failures, "{}: {difference}", script.id).unwrap();
        }
    }
    failures
}

fn seeds() -> std::ops::Range<u64> {
    let (first, count) = (number("KUBEWRIGHT_HISTORY_SEED", 1), number("KUBEWRIGHT_HISTORIES", 10));
    first..first + count
}

// DFT-7, EVD-4
#[test]
fn both_servers_answer_random_histories_alike() {
    if !crate::is_real_tier() {
        return;
    }
    let failures = differences(seeds().flat_map(|seed| {
        let subjects = [HistorySubject::ConfigMap, HistorySubject::Deployment].map(|subject| history(subject, seed, LENGTH));
        subjects.into_iter().chain([apply_history(seed, LENGTH), schema_history(seed, SCHEMA_LENGTH)])
    }));
    assert!(failures.is_empty(), "histories differ:\n{failures}");
}

// DFT-7, EVD-4, SCH-1
#[test]
fn objects_of_random_schemas_are_brought_into_form_once_and_for_all() {
    for seed in seeds() {
        println!("seed {seed}");
        let schema = Schema::compile(&schema(seed));
        for mut object in objects(seed, 20) {
            let Ok(_) = schema.prune(&mut object) else { continue };
            schema.default(&mut object);
            let settled = object.clone();
            assert_eq!(schema.prune(&mut object).unwrap_or_default(), Vec::<String>::new(), "seed {seed}: {settled}");
            schema.default(&mut object);
            assert_eq!(object, settled, "seed {seed}");
            assert!(!schema.read(&mut object), "seed {seed}: {settled}");
            let errors = || schema.validate(&settled, None, &mut Vec::new());
            assert_eq!(errors(), errors(), "seed {seed}: {settled}");
        }
    }
}

// DFT-7, EVD-4, SMD-6
#[test]
fn objects_of_random_definitions_have_all_fields_owned_by_a_field_manager() {
    for seed in seeds() {
        let script = schema_history(seed, SCHEMA_LENGTH);
        println!("{}", script.id);
        for (step, answer) in script.steps.iter().zip(run_embedded(&script).unwrap().answers) {
            let title = || format!("{}, step {}", script.id, step.id);
            assert_ne!(answer.at("/reason"), Some("InternalError".into()), "{}", title());
            if answer.code >= 300 || answer.at("/kind") != Some("Gadget".into()) {
                continue;
            }
            let object = answer.at("").unwrap();
            for entry in object["metadata"]["managedFields"].as_array().into_iter().flatten() {
                if let Some(missing) = missing(&object, &entry["fieldsV1"], "") {
                    panic!("{}: {} owns {missing}, which is not there: {object}", title(), entry["manager"]);
                }
            }
        }
    }
}

/// Returns the first owned field that an object does not have. A field that is not in the schema can be owned and absent: on the real server, too, it
/// is applied where a schema further up keeps unknown fields, and dropped where the closest schema does not.
fn missing(value: &Value, owned: &Value, path: &str) -> Option<String> {
    owned.as_object()?.iter().filter(|(element, _)| !matches!(element.as_str(), "." | "f:unknown")).find_map(
        |(element, below)| {
            let here = format!("{path}.{element}");
            let (kind, name) = element.split_once(':')?;
            let wanted: Value = serde_json::from_str(name).unwrap_or_default();
            let items = || value.as_array().into_iter().flatten();
            let found = match kind {
                "f" => value.get(name),
                "v" => items().find(|item| **item == wanted),
                "k" => {
                    items().find(|item| wanted.as_object().into_iter().flatten().all(|(key, value)| item.get(key) == Some(value)))
                }
                _ => value.get(name.parse::<usize>().ok()?),
            };
            match found {
                Some(found) => missing(found, below, &here),
                None => Some(here),
            }
        },
    )
}
