//! The recorded outputs of the original for values, formats and encodings in `shared/data` beside the repository.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::tests::Nowhere;
use super::*;
use crate::function::Signature;
use crate::set::{Delimiters, TemplateLimits, TemplateSet};
use crate::value::MapType;

const FILE: &str = "vec/templates/t.yaml";

fn vectors() -> Option<Vec<Value>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut candidates = here.ancestors().map(|folder| folder.join("shared/data/templates/vectors.jsonl"));
    let file = candidates.find(|file| file.is_file())?;
    Some(std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the functions under test, and the few others that make their arguments.
fn functions() -> FunctionSet {
    const ALL: Signature = Signature::variadic(&[], Parameter::Any);
    let mut functions = FunctionSet::new();
    functions.add("list", ALL, |call| Ok(GoValue::list(call.rest(0))));
    functions.add("dict", ALL, |call| {
        let text = |value: &GoValue| if let GoValue::String(text) = value { text.clone() } else { "".into() };
        Ok(GoMap::from_pairs(call.arguments.chunks_exact(2).map(|pair| (text(&pair[0]), pair[1].clone()))).into())
    });
    functions.add("repeat", Signature::of(&[Parameter::Int, Parameter::String]), |call| {
        let count = usize::try_from(call.int(0)).unwrap();
        Ok(call.string(1).to_text().repeat(count).into())
    });
    for (name, to_value) in [("int", GoValue::int as fn(i64) -> GoValue), ("int64", GoValue::int64)] {
        functions.add(name, Signature::of(&[Parameter::Any]), move |call| {
            Ok(to_value(match call.take(0) {
                GoValue::Integer(value, _) => value as i64,
                GoValue::Float(value) => value as i64,
                other => panic!("{other:?}"),
            }))
        });
    }
    functions.add("hasKey", Signature::of(&[Parameter::Map, Parameter::String]), |call| {
        let key = call.string(1);
        Ok(call.map(0)?.get(&key).is_some().into())
    });
    functions.add("quote", Signature::of(&[Parameter::Any]), |call| {
        Ok(match call.take(0) {
            GoValue::Nil => "".into(),
            value => crate::format::quote(crate::format::print(&[value]).as_bytes()).into(),
        })
    });
    functions.add("kindOf", Signature::of(&[Parameter::Any]), |call| Ok(call.take(0).kind().into()));
    functions.add("typeOf", Signature::of(&[Parameter::Any]), |call| Ok(call.take(0).type_name().into()));
    add(&mut functions, DataFlavour::Helm);
    functions
}

/// Renders the template of a vector, or returns the error of its values.
fn render(template: &str, values: &str) -> Result<String, String> {
    let values = read_yaml(&values.into()).and_then(|values| match values {
        GoValue::Nil => Ok(GoMap::from_pairs(<[(&str, GoValue); 0]>::default())),
        value => match DecodedType::Map.check(value) {
            Ok(GoValue::Map(map)) => Ok(map),
            Ok(_) => Err(String::new()),
            Err(error) => Err(format!("error unmarshaling JSON: while decoding JSON: {error}")),
        },
    });
    let values = values.map_err(|error| format!("failed to parse values: {error}"))?;
    let values = GoMap::new(values.entries().into_iter().collect(), MapType::Named("chartutil.Values"));
    let data = GoMap::from_pairs([("Values", values.into())]).into();
    let mut set = TemplateSet::new(Arc::new(functions()), Delimiters::default());
    set.add(FILE, template).map_err(|error| error.to_string())?;
    let output = set.execute(FILE, &data, &Nowhere, &TemplateLimits::default()).map_err(|error| error.to_string())?;
    Ok(output.to_text().into_owned())
}

#[test]
fn vectors_of_values_and_encodings_give_the_recorded_outputs_and_errors() {
    /// Errors of values that name more of the text than the reader keeps.
    const OTHER_WORDS: [&str; 2] = ["yv-nullkey-01", "yv-bad-12"];
    let Some(vectors) = vectors() else {
        eprintln!("skipped: there is no shared/data/templates/vectors.jsonl beside the repository");
        return;
    };
    let (mut checked, mut skipped, mut failures) = (0, Vec::new(), Vec::new());
    for vector in &vectors {
        let text = |key: &str| vector.get(key).and_then(Value::as_str);
        let (id, template) = (text("id").unwrap(), text("template").unwrap());
        let is_in_scope = ["yaml-", "json-", "toml-", "tt-printf-", "yv-"].iter().any(|group| id.starts_with(group));
        let needs_chart = [".Release", ".Chart", ".Capabilities"].iter().any(|part| template.contains(part));
        if !is_in_scope || needs_chart || text("chartValues").is_some() {
            continue;
        }
        let result = render(template, text("values").unwrap_or_default());
        let expected = text("expected").ok_or_else(|| text("error").unwrap());
        let unknown = result.as_ref().err().filter(|error| error.contains("function \"") && error.ends_with("not defined"));
        if let Some(error) = unknown {
            skipped.push(format!("{id}: {error}"));
            continue;
        }
        checked += 1;
        let is_equal = match (&result, expected) {
            (Ok(output), Ok(expected)) => output == expected,
            (Err(error), Err(expected)) => error == expected || OTHER_WORDS.contains(&id),
            _ => false,
        };
        if !is_equal {
            failures.push(format!("{id}: {template}\n  expected {expected:?}\n  found    {result:?}"));
        }
    }
    eprintln!(
        "{checked} vectors checked, {} skipped for functions that these tests lack:\n{}",
        skipped.len(),
        skipped.join("\n")
    );
    assert!(failures.is_empty(), "{} of {checked} vectors differ:\n{}", failures.len(), failures.join("\n"));
}
