//! Published charts with the recorded outputs of `helm template`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use kubewright_chart::{
    ChartCapabilities, ChartError, ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost, RenderedChart, parse_values,
};
use kubewright_machinery::yaml;
use serde_json::Value;

use crate::readme_table::check_table;

/// One recorded case.
struct PublishedCase {
    chart: PathBuf,
    directory: PathBuf,
    name: String,
    facts: Value,
}

impl PublishedCase {
    fn all(root: &Path) -> Vec<Self> {
        let mut cases = Vec::new();
        for chart in sorted(root) {
            for directory in sorted(&chart.join("cases")) {
                let name = directory.strip_prefix(root).unwrap().display().to_string().replace("/cases", "");
                let facts = serde_json::from_str(&fs::read_to_string(directory.join("case.json")).unwrap()).unwrap();
                cases.push(Self { chart: chart.clone(), directory, name, facts });
            }
        }
        cases
    }

    fn render(&self, compat: HelmCompat) -> Result<RenderedChart, String> {
        let failed = |error: ChartError| error.to_string();
        let chart = ChartLoader::new(compat).path(&self.chart).map_err(failed)?;
        let compiled = CompiledChart::new(chart).map_err(failed)?;
        let text = |key: &str| self.facts[key].as_str().unwrap();
        let versions = self.facts["apiVersions"].as_array().unwrap().iter().map(|version| version.as_str().unwrap());
        let mut request = ChartRequest::new(text("release"), text("namespace"));
        request.capabilities = Arc::new(ChartCapabilities::offline(text("kubeVersion")).unwrap().with_api_versions(versions));
        request.release.is_upgrade = self.facts["isUpgrade"].as_bool().unwrap();
        request.values = parse_values(&fs::read(self.directory.join("values.yaml")).unwrap(), compat)?;
        compiled.render(&request, Rc::new(OfflineHost::default())).map_err(failed)
    }

    fn expected_error(&self, compat: HelmCompat) -> Option<&str> {
        let helm_4 = self.facts["helm4"]["error"].as_str().filter(|_| compat == HelmCompat::Helm4);
        helm_4.or_else(|| self.facts["error"].as_str())
    }

    fn expected(&self, compat: HelmCompat) -> Vec<Value> {
        let helm_4 = self.directory.join("expected-helm4.yaml");
        let is_other = compat == HelmCompat::Helm4 && helm_4.exists();
        let path = if is_other { helm_4 } else { self.directory.join("expected.yaml") };
        yaml::documents_with_repeats(&fs::read_to_string(path).unwrap()).unwrap().0
    }

    /// Returns the reason for which the result is another one; None if it is equal.
    fn difference(&self, compat: HelmCompat) -> Option<String> {
        let result = self.render(compat);
        match (self.expected_error(compat), result) {
            (Some(expected), Err(error)) if error.contains(expected) => None,
            (Some(expected), Err(error)) => Some(format!("error: {error}\n    for: {expected}")),
            (Some(expected), Ok(_)) => Some(format!("renders, instead of: {expected}")),
            (None, Err(error)) => Some(format!("error: {error}")),
            (None, Ok(rendered)) => {
                let includes_crds = self.facts["includeCrds"].as_bool().unwrap();
                let crds = rendered.crds.iter().filter(|_| includes_crds);
                let documents = crds.chain(rendered.in_helm_order());
                let found: Vec<Value> =
                    documents.map(|document| document.object.as_ref().clone()).filter(|o| !o.is_null()).collect();
                first_difference(&found, &self.expected(compat), compat)
            }
        }
    }
}

fn first_difference(found: &[Value], expected: &[Value], compat: HelmCompat) -> Option<String> {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        if !is_equal(found, expected, compat) {
            let mut path = String::new();
            return Some(format!("object {index}: {}", value_difference(&mut path, found, expected, compat)));
        }
    }
    (found.len() != expected.len()).then(|| format!("{} objects for {}", found.len(), expected.len()))
}

/// Compares values. Helm 4 prints one more line break at the end of a document, which is a part of a last block scalar.
fn is_equal(found: &Value, expected: &Value, compat: HelmCompat) -> bool {
    match (found, expected) {
        (Value::String(found), Value::String(expected)) => {
            found == expected || compat == HelmCompat::Helm4 && found.trim_end() == expected.trim_end()
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(left, right)| is_equal(left, right, compat))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && found.iter().all(|(key, value)| expected.get(key).is_some_and(|other| is_equal(value, other, compat)))
        }
        (Value::Number(found), Value::Number(expected)) => found == expected || found.as_f64() == expected.as_f64(),
        (found, expected) => found == expected,
    }
}

fn value_difference(path: &mut String, found: &Value, expected: &Value, compat: HelmCompat) -> String {
    if let (Value::Object(found), Value::Object(expected)) = (found, expected) {
        let keys: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
        for key in keys {
            let (left, right) = (found.get(key).unwrap_or(&Value::Null), expected.get(key).unwrap_or(&Value::Null));
            if !is_equal(left, right, compat) || found.contains_key(key) != expected.contains_key(key) {
                write!(path, ".{key}").unwrap();
                return value_difference(path, left, right, compat);
            }
        }
    }
    if let (Value::Array(found), Value::Array(expected)) = (found, expected)
        && found.len() == expected.len()
    {
        for (index, (left, right)) in found.iter().zip(expected).enumerate() {
            if !is_equal(left, right, compat) {
                write!(path, "[{index}]").unwrap();
                return value_difference(path, left, right, compat);
            }
        }
    }
    let shown = |value: &Value| value.to_string().chars().take(300).collect::<String>();
    format!("{path}: {}\n    for {}", shown(found), shown(expected))
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

/// The numbers of the cases of one chart.
#[derive(Default)]
struct ChartCount {
    version: String,
    cases: usize,
    /// The number of equal cases, with Helm 4 and with Helm 3.
    equal: [usize; 2],
}

/// Returns the numbers of cases by chart as a Markdown table.
fn table(counts: &BTreeMap<String, ChartCount>) -> String {
    let mut table =
        "| chart | version | cases | equal to Helm 4 | equal to Helm 3 |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for (chart, ChartCount { version, cases, equal: [helm_4, helm_3] }) in counts {
        writeln!(table, "| {chart} | {version} | {cases} | {helm_4} | {helm_3} |").unwrap();
    }
    let sum = |of: fn(&ChartCount) -> usize| counts.values().map(of).sum::<usize>();
    let (cases, helm_4, helm_3) = (sum(|count| count.cases), sum(|count| count.equal[0]), sum(|count| count.equal[1]));
    writeln!(table, "| **all {}** | | {cases} | {helm_4} | {helm_3} |", counts.len()).unwrap();
    table
}

#[test]
fn published_charts_render_as_with_helm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/charts");
    let cases = PublishedCase::all(&root);
    if cases.is_empty() {
        eprintln!("skipped: {} is absent", root.display());
        return;
    }
    let mut counts: BTreeMap<String, ChartCount> = BTreeMap::new();
    let mut differences = String::new();
    for case in &cases {
        let count = counts.entry(case.chart.file_name().unwrap().display().to_string()).or_default();
        count.cases += 1;
        count.version = ChartLoader::default().path(&case.chart).unwrap().metadata.version;
        for (index, compat) in [HelmCompat::Helm4, HelmCompat::Helm3].into_iter().enumerate() {
            match case.difference(compat) {
                None => count.equal[index] += 1,
                Some(reason) => writeln!(differences, "{:40} {compat:?} {reason}", case.name).unwrap(),
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
    check_table(&table(&counts));
}
