//! Writes `data/merge-keys.txt` of the crate `kubewright-machinery`, the merge keys of the built-in types, from the definitions of this crate.
//!
//! ```text
//! cargo run -p kubewright-apiserver --example generate-merge-keys -- [--check]
//! ```
//!
//! With `--check` nothing is written; the committed file is compared instead.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use kubewright_apiserver::forms::Definitions;
use serde_json::Value;

const OUTPUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../machinery/data/merge-keys.txt");
const REFERENCE: &str = "#/definitions/";

fn main() -> ExitCode {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            eprintln!("usage: generate-merge-keys [--check]");
            return ExitCode::from(2);
        }
    };
    let text = generate(Definitions::embedded());
    let outcome = if check {
        std::fs::read_to_string(OUTPUT)
            .and_then(|committed| if committed == text { Ok(()) } else { Err(std::io::Error::other("the file differs")) })
    } else {
        std::fs::write(OUTPUT, text)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to generate {OUTPUT}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the table: all types that have a merged field, or lead to one.
fn generate(definitions: &Definitions) -> String {
    let mut types = BTreeMap::new();
    for name in definitions.names() {
        let schema = definitions.schema(name).unwrap_or(&Value::Null);
        if !is_list_kind(schema) {
            types.insert(name, schema);
        }
    }
    let fields = |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_default();
    let is_marked = |property: &Value| property["x-kubernetes-patch-strategy"].is_string();
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    loop {
        let leads = |property: &Value| is_marked(property) || target(property).1.is_some_and(|target| kept.contains(target));
        let more: Vec<&str> = types
            .iter()
            .filter(|(name, schema)| !kept.contains(*name) && fields(schema).values().any(leads))
            .map(|(name, _)| *name)
            .collect();
        if more.is_empty() {
            break;
        }
        kept.extend(more);
    }
    let mut lines: Vec<String> = Vec::new();
    for name in &kept {
        let schema = types[name];
        let heading: Vec<String> = std::iter::once((*name).to_owned()).chain(kinds(schema)).collect();
        lines.push(format!("= {}", heading.join(" ")));
        for (field, property) in fields(schema) {
            let (shape, target) = target(&property);
            let target = target.filter(|target| kept.contains(target));
            if !is_marked(&property) && target.is_none() {
                continue;
            }
            let mut words = vec![field.clone(), shape.replace('-', target.unwrap_or("-"))];
            if let Some(strategy) = property["x-kubernetes-patch-strategy"].as_str() {
                let keys: Vec<&str> =
                    property["x-kubernetes-list-map-keys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                words.push(strategy.to_owned());
                words.push(property["x-kubernetes-patch-merge-key"].as_str().unwrap_or("-").to_owned());
                words.push(if keys.is_empty() { "-".to_owned() } else { keys.join(",") });
            }
            lines.push(words.join(" "));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Returns true for the list of a kind, which is never patched.
fn is_list_kind(schema: &Value) -> bool {
    kinds(schema).iter().any(|kind| kind.ends_with("List"))
}

/// Returns the kinds of a type: group, version and kind, separated by slashes.
fn kinds(schema: &Value) -> Vec<String> {
    let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
    let text = |kind: &Value, part: &str| kind[part].as_str().unwrap_or_default().to_owned();
    kinds.map(|kind| format!("{}/{}/{}", text(kind, "group"), text(kind, "version"), text(kind, "kind"))).collect()
}

/// Returns the shape of a field, in which a dash stands for its type, and that type.
fn target(property: &Value) -> (&'static str, Option<&str>) {
    for (member, shape) in [("items", "[-]"), ("additionalProperties", "{-}")] {
        if let Some(inner) = property.get(member).filter(|inner| inner.is_object()) {
            return (shape, reference(inner));
        }
    }
    ("-", reference(property))
}

/// Returns the name of the definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REFERENCE)
}
