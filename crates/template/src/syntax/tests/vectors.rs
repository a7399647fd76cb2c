//! The recorded templates of `shared/data/templates`, beside the repository.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::functions;
use crate::set::Delimiters;
use crate::syntax::{SourceFile, parse};

const FUNCTIONS: &str = include_str!("functions.txt");

#[test]
fn recorded_templates_parse_or_fail_as_in_helm() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/templates/vectors.jsonl");
    let Ok(vectors) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no shared/data/templates beside the repository");
        return;
    };
    let functions = functions(&FUNCTIONS.split_whitespace().collect::<Vec<_>>());
    let mut failures = Vec::new();
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let text = |key| vector[key].as_str().unwrap_or_default();
        let expected = text("error").strip_prefix("parse error at ").map(|_| text("error").to_owned());
        let file = Arc::new(SourceFile { name: "vec/templates/t.yaml".into(), text: text("template").to_owned() });
        let found = parse(file, &Delimiters::default(), &functions).err().map(|error| error.to_string());
        if found != expected {
            failures.push(format!("{}: {} gives {found:?} for {expected:?}", text("id"), text("template")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
