//! The recorded outputs and errors of the original in `shared/data` beside the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kubewright_machinery::yaml;
use serde_json::Value;

use super::{data, render_file};
use crate::set::TemplateLimits;
use crate::value::{GoMap, GoValue, MapType};

const FILE: &str = "vec/templates/t.yaml";

fn vectors() -> Option<Vec<Value>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let candidates = here.ancestors().map(|folder| folder.join("shared/data/templates/vectors.jsonl"));
    let file: PathBuf = candidates.into_iter().find(|file| file.is_file())?;
    Some(std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the data that Helm gives to the template: the values, and of the chart what needs no methods.
fn chart_data(values: &str) -> GoValue {
    let named = |value: GoValue| match value {
        GoValue::Map(map) => GoValue::Map(map.with_type(MapType::Named("chartutil.Values"))),
        _ => GoValue::Map(GoMap::new(BTreeMap::new(), MapType::Named("chartutil.Values"))),
    };
    let values = if values.trim().is_empty() { Value::Null } else { yaml::document(values).unwrap() };
    let root = data(&format!(
        r#"{{"Chart": {{"Name": "vec"}}, "Release": {{"Name": "rel"}}, "Template": {{"Name": "{FILE}", "BasePath": "vec/templates"}}}}"#
    ));
    if let GoValue::Map(map) = &root {
        map.set("Values".into(), named(GoValue::from(&values)));
    }
    named(root)
}

fn is_in_scope(id: &str, template: &str) -> bool {
    let is_language = id.starts_with("tt-") && !id.starts_with("tt-printf") && !id.starts_with("tt-parse");
    let needs_chart = [
        ".Capabilities",
        ".Files",
        ".Chart.",
        ".Release.",
        ".Subcharts",
        ".Values.AsMap",
        ".Values.YAML",
        ".Values.Table",
        ".Values.PathValue",
    ];
    let is_about_chart = id.starts_with("tt-") && needs_chart.iter().any(|part| template.contains(part));
    (is_language && !is_about_chart) || ["helm-include-", "helm-tpl-", "default-3"].iter().any(|group| id.starts_with(group))
}

#[test]
fn vectors_of_the_language_give_the_recorded_outputs_and_errors() {
    let Some(vectors) = vectors() else {
        eprintln!("skipped: there is no shared/data/templates/vectors.jsonl beside the repository");
        return;
    };
    let (mut checked, mut skipped, mut failures) = (0, Vec::new(), Vec::new());
    for vector in &vectors {
        let text = |key: &str| vector.get(key).and_then(Value::as_str);
        let (id, template) = (text("id").unwrap(), text("template").unwrap());
        if !is_in_scope(id, template) {
            continue;
        }
        // Helm adds the helpers last, so that theirs replace templates of the same name.
        let files = [(FILE, template), ("vec/templates/_helpers.tpl", text("helpers").unwrap_or_default())];
        let data = chart_data(text("values").unwrap_or_default());
        let rendered = render_file(&files, FILE, &data, &TemplateLimits::default());
        let expected = text("expected").ok_or_else(|| text("error").unwrap());
        let result = rendered.map_err(|error| error.to_string());
        // The set of these tests has Go's `slice`; sprig has another one.
        if template.contains("slice ") {
            skipped.push(format!("{id}: the slice of sprig"));
            continue;
        }
        let unknown = result.as_ref().err().filter(|error| error.contains("function \"") && error.ends_with("not defined"));
        if let Some(error) = unknown.filter(|error| expected.err() != Some(error.as_str())) {
            skipped.push(format!("{id}: {error}"));
            continue;
        }
        checked += 1;
        if result.as_deref().map_err(String::as_str) != expected {
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
