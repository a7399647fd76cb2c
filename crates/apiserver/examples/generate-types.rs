//! Writes `data/schemas.json.zst`, the OpenAPI definitions of the built-in types, from a file of the PyPI package `kubernetes-validate`.
//!
//! ```text
//! pip download --no-deps kubernetes-validate && unzip kubernetes_validate-*.whl
//! cargo run -p kubewright-apiserver --example generate-types -- \
//!     kubernetes_validate/kubernetes-json-schema/v1.36.0-local/_definitions.json [--check]
//! ```
//!
//! The data has one line per definition: its name, the kinds it stands for (`group/version/Kind`, separated by commas), and the definition as the
//! server publishes it, without descriptions. With `--check` nothing is written; the committed file is compared instead.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

const OUTPUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/schemas.json.zst");
const GVK: &str = "x-kubernetes-group-version-kind";
const REFERENCE: &str = "#/$defs/";
const LEVEL: i32 = 19;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, files): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with("--"));
    let check = match (files.as_slice(), flags.as_slice()) {
        ([_], []) => false,
        ([_], [flag]) if *flag == "--check" => true,
        _ => {
            eprintln!("usage: generate-types <_definitions.json> [--check]");
            return ExitCode::from(2);
        }
    };
    match run(Path::new(files[0]), check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to generate types: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(source: &Path, check: bool) -> Result<(), Box<dyn Error>> {
    let text = generate(&serde_json::from_slice(&std::fs::read(source)?)?)?;
    if check {
        let committed = zstd::decode_all(std::fs::File::open(OUTPUT)?)?;
        return if committed == text.as_bytes() { Ok(()) } else { Err(format!("{OUTPUT} differs from its source").into()) };
    }
    let packed = zstd::encode_all(text.as_bytes(), LEVEL)?;
    std::fs::write(OUTPUT, &packed)?;
    println!("{} definitions, {} bytes, {} packed", text.lines().count(), text.len(), packed.len());
    Ok(())
}

fn generate(document: &Value) -> Result<String, Box<dyn Error>> {
    let definitions = document.get("$defs").and_then(Value::as_object).ok_or("no \"$defs\" in the source")?;
    let mut text = String::new();
    for name in served(definitions) {
        let definition = cleaned(&definitions[name], name);
        let kinds: Vec<String> = definition[GVK].as_array().into_iter().flatten().map(kind_text).collect();
        writeln!(text, "{name}\t{}\t{definition}", kinds.join(","))?;
    }
    Ok(text)
}

/// Returns the definitions of stable types and all definitions that they refer to.
fn served(definitions: &Map<String, Value>) -> BTreeSet<&str> {
    let stable = |(name, definition): &(&String, &Value)| !is_unstable(name) && definition.get(GVK).is_some();
    let mut open: Vec<&str> = definitions.iter().filter(stable).map(|(name, _)| name.as_str()).collect();
    // Types that requests carry although no kind refers to them.
    open.extend(
        definitions
            .keys()
            .map(String::as_str)
            .filter(|name| name.starts_with("io.k8s.apimachinery.pkg.") && !name.ends_with(".GroupResource")),
    );
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some((name, definition)) = definitions.get_key_value(name).filter(|(name, _)| found.insert(name.as_str())) {
            debug_assert!(!is_unstable(name));
            references(definition, &mut open);
        }
    }
    found
}

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(REFERENCE)));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Returns true for names with an unstable version such as `v1alpha1` or `v2beta3`, which the server does not serve by default.
fn is_unstable(name: &str) -> bool {
    name.split('.').any(|part| {
        let rest = part.strip_prefix('v').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        rest.is_some_and(|rest| rest.starts_with("alpha") || rest.starts_with("beta"))
    })
}

/// Returns a definition without the package's additions to the published one, and without descriptions.
fn cleaned(definition: &Value, name: &str) -> Value {
    match name {
        "io.k8s.apimachinery.pkg.api.resource.Quantity" => json!({"type": "string"}),
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString" => {
            json!({"type": "string", "format": "int-or-string"})
        }
        _ => schema(definition),
    }
}

fn schema(published: &Value) -> Value {
    let Value::Object(members) = published else {
        return published.clone();
    };
    let mut cleaned = Map::new();
    for (keyword, value) in members {
        let value = match (keyword.as_str(), value) {
            ("description" | "enum" | "default", _) => continue,
            ("type", Value::Array(types)) => match types.iter().find(|name| *name != "null") {
                Some(name) => name.clone(),
                None => continue,
            },
            ("$ref", Value::String(target)) => target.replace(REFERENCE, "#/definitions/").into(),
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, property)| (name.clone(), schema(property))).collect()
            }
            ("items" | "additionalProperties", value) => schema(value),
            (_, value) => value.clone(),
        };
        cleaned.insert(keyword.clone(), value);
    }
    Value::Object(cleaned)
}

fn kind_text(kind: &Value) -> String {
    let part = |name: &str| kind[name].as_str().unwrap_or_default();
    format!("{}/{}/{}", part("group"), part("version"), part("kind"))
}
