//! The schemas of published charts, compared with the values of the charts themselves.

use std::path::Path;

use kubewright_chart::{ChartLoader, compare_values};
use serde_json::Value;

/// The keywords of limits.
const LIMITS: [&str; 13] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Removes all limits of a schema.
fn loosen(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, rule| rule.is_object() || !LIMITS.contains(&name.as_str()));
            members.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

#[test]
fn values_by_the_schema_of_a_published_chart_fit_it_and_without_its_limits_they_do_not() {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/data/charts"));
    let Some(root) = folders.find(|folder| folder.is_dir()) else {
        eprintln!("skipped: there is no shared/data/charts beside the repository");
        return;
    };
    let (mut compared, mut differing) = (0, Vec::new());
    let charts = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    for path in charts.filter(|path| path.join("Chart.yaml").is_file()) {
        let chart = ChartLoader::default().path(&path).unwrap();
        let Some(schema) = &chart.schema else { continue };
        let mut schema: Value = serde_json::from_slice(schema).unwrap();
        assert_eq!(compare_values(&chart, &schema).unwrap(), [], "{}", chart.metadata.name);
        loosen(&mut schema);
        if !compare_values(&chart, &schema).unwrap().is_empty() {
            differing.push(chart.metadata.name.clone());
        }
        compared += 1;
    }
    differing.sort();
    assert_eq!((compared, differing), (8, vec!["external-dns".to_owned(), "traefik".to_owned()]));
}
