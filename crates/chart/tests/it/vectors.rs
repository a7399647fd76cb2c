//! The recorded outputs of both Helms for single templates.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kubewright_chart::{
    ChartCapabilities, ChartLoader, ChartRequest, CompiledChart, HelmCompat, KubernetesVersion, OfflineHost, parse_values,
};
use kubewright_template::TemplateLimits;
use serde_json::Value;

const METADATA: &str =
    "apiVersion: v2\nname: vec\nversion: 0.1.0\nappVersion: \"1.2.3\"\ndescription: A chart for one template\n";

/// The number of cases whose output or error text is equal, with either Helm.
const EQUAL: usize = 1453;
/// The number of errors whose text is another one: two name functions that operators do not have, two do not repeat values of malformed YAML.
const OTHER_WORDS: usize = 4;

/// Limits without one of time: keys take long where others compute, too.
const LIMITS: TemplateLimits =
    TemplateLimits { output: 1 << 26, values: 1 << 30, depth: 1000, steps: 50_000_000, time: Duration::MAX };

/// Returns the output of the template, or the text of the error.
fn render(case: &Value, compat: HelmCompat) -> Result<String, String> {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let mut files: BTreeMap<String, String> = BTreeMap::from([
        ("Chart.yaml".to_owned(), METADATA.to_owned()),
        ("templates/t.yaml".to_owned(), text("template").to_owned()),
    ]);
    for (key, name) in [("chartValues", "values.yaml"), ("helpers", "templates/_helpers.tpl")] {
        if let Some(text) = case[key].as_str() {
            files.insert(name.to_owned(), text.to_owned());
        }
    }
    for (name, content) in case["files"].as_object().into_iter().flatten() {
        files.insert(name.clone(), content.as_str().unwrap().to_owned());
    }
    let failed = |error: kubewright_chart::ChartError| error.to_string();
    let values = parse_values(text("values").as_bytes(), compat).map_err(|error| format!("failed to parse values: {error}"))?;
    let chart = ChartLoader::new(compat).files(files).map_err(failed)?;
    let compiled = CompiledChart::builder(chart).limits(LIMITS).build().map_err(failed)?;
    let mut capabilities = ChartCapabilities::default();
    if let Some(version) = case["capabilities"]["kubeVersion"].as_str() {
        capabilities.kubernetes = KubernetesVersion::parse(version).unwrap();
    }
    let versions = case["capabilities"]["apiVersions"].as_array().into_iter().flatten();
    let capabilities = capabilities.with_api_versions(versions.map(|version| version.as_str().unwrap()));
    let mut request = ChartRequest::new("rel", "ns1");
    request.values = values;
    request.capabilities = Arc::new(capabilities);
    request.release.is_upgrade = case["isUpgrade"].as_bool().unwrap_or_default();
    let outputs = compiled.outputs(&request, Rc::new(OfflineHost::default())).map_err(failed)?;
    Ok(outputs["vec/templates/t.yaml"].clone())
}

fn group_of(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(group, _)| group)
}

/// The cases that Helm 4 answers otherwise, recorded with Helm 4.3.1.
const OF_HELM_4: &str = include_str!("helm4.jsonl");

/// Returns true for a case that makes keys, which takes long. They are checked with the feature `certificates` and one Helm; `kubewright-template` checks
/// them, too.
fn makes_keys(case: &Value) -> bool {
    let template = case["template"].as_str().unwrap();
    ["genCA", "genPrivateKey", "genSelfSigned", "genSigned", "buildCustomCert"].iter().any(|name| template.contains(name))
}

/// The cases of one flavour.
struct VectorReport {
    equal: usize,
    left_out: usize,
    other_words: usize,
}

fn report(cases: &[Value], compat: HelmCompat) -> VectorReport {
    let mut report = VectorReport { equal: 0, left_out: 0, other_words: 0 };
    let mut failing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let others: BTreeMap<String, Value> = OF_HELM_4
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|case| (case["id"].as_str().unwrap().to_owned(), case))
        .collect();
    for case in cases {
        if makes_keys(case) && (compat == HelmCompat::Helm4 || cfg!(not(feature = "certificates"))) {
            report.left_out += 1;
            continue;
        }
        let id = case["id"].as_str().unwrap();
        let recorded = others.get(id).filter(|_| compat == HelmCompat::Helm4).unwrap_or(case);
        let error = || recorded["error"].as_str().unwrap().to_owned();
        let expected = recorded["expected"].as_str().map(str::to_owned).ok_or_else(error);
        match (render(case, compat), expected) {
            (result, expected) if result == expected => report.equal += 1,
            (Err(found), Err(expected)) => {
                report.other_words += 1;
                eprintln!("{compat:?} {id}: other words\n  {found:?}\n  {expected:?}");
            }
            (result, expected) => {
                eprintln!("{compat:?} {id}: {}\n  {result:?}\n  {expected:?}", case["template"]);
                failing.entry(group_of(id).to_owned()).or_default().push(id.to_owned());
            }
        }
    }
    let VectorReport { equal, left_out, other_words } = report;
    eprintln!("{compat:?}: {equal} of {} equal, {other_words} errors with other words, {left_out} left out", cases.len());
    for (group, ids) in &failing {
        eprintln!("{group}: {}", ids.join(" "));
    }
    report
}

#[test]
fn recorded_outputs_of_templates_are_reproduced() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/templates/vectors.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: {} is absent", path.display());
        return;
    };
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reports = [HelmCompat::Helm3, HelmCompat::Helm4].map(|compat| report(&cases, compat));
    for report in reports {
        assert_eq!((report.equal + report.left_out, report.other_words), (EQUAL, OTHER_WORDS));
    }
}
