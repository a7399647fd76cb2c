//! Published charts through the generator, with the recorded objects of `helm template`.

use std::fs;
use std::path::{Path, PathBuf};

use kubewright_chart::{ChartCapabilities, HelmCompat, parse_values};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::yaml;
use kubewright_render::{Generator, HelmChart, Question, RenderContext, RenderError, RenderInputs};
use serde_json::{Value, json};

use crate::cluster::{FakeCluster, inputs, objects, type_lists};

/// The name of the operator in these renderings. Templates see it as `.Release.Service`.
const HELM: &str = "Helm";

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

/// Returns the context of a recorded case; None if its values are no YAML.
fn context(directory: &Path, facts: &Value) -> Option<RenderContext<()>> {
    let text = |key: &str| facts[key].as_str().unwrap();
    let versions = facts["apiVersions"].as_array().unwrap().iter().map(|version| version.as_str().unwrap());
    let capabilities = ChartCapabilities::offline(text("kubeVersion")).unwrap().with_api_versions(versions);
    let mut cluster = FakeCluster::default()
        .with(Question::Version, json!({ "gitVersion": capabilities.kubernetes.git_version }))
        .with(Question::ServedTypes, type_lists(capabilities.api_versions.iter().map(String::as_str)));
    for api in capabilities.api_versions {
        cluster = cluster.with(Question::Serves(api), json!(true));
    }
    let inputs = RenderInputs {
        operator: HELM.to_owned(),
        name: text("release").to_owned(),
        namespace: text("namespace").to_owned(),
        revision: if facts["isUpgrade"].as_bool().unwrap() { 2 } else { 1 },
        ..inputs()
    };
    let values = parse_values(&fs::read(directory.join("values.yaml")).unwrap(), HelmCompat::Helm4).ok()?;
    Some(crate::cluster::context(&cluster, Value::Object(values), inputs))
}

fn expected(directory: &Path) -> Vec<Value> {
    let of_helm_4 = directory.join("expected-helm4.yaml");
    let path = if of_helm_4.exists() { of_helm_4 } else { directory.join("expected.yaml") };
    yaml::documents_with_repeats(&fs::read_to_string(path).unwrap()).unwrap().0
}

/// Returns the objects that are comparable in any order: neither hooks, whose marks and copies are the framework's, nor definitions, which the records
/// have in part.
fn comparable(objects: Vec<Value>) -> Vec<String> {
    let plain = |object: &Value| object.annotation("helm.sh/hook").is_none() && object.kind() != "CustomResourceDefinition";
    let mut texts: Vec<String> = objects
        .into_iter()
        .filter(|object| !object.is_null() && plain(object))
        .map(|object| normal(object).to_string())
        .collect();
    texts.sort();
    texts
}

/// Returns a value whose numbers are all floats and whose texts have no white space at the end, as those of the records vary in both, and that has no
/// annotations of the framework.
fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::String(text) => json!(text.trim_end()),
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(key, _)| !key.starts_with("Helm/"));
            Value::Object(fields.map(|(key, value)| (key, normal(value))).collect())
        }
        other => other,
    }
}

#[tokio::test]
async fn published_charts_give_the_objects_of_helm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/charts");
    if !root.exists() {
        eprintln!("skipped: {} is absent", root.display());
        return;
    }
    let (mut equal, mut failed) = (0, 0);
    for path in sorted(&root).into_iter().filter(|path| path.join("Chart.yaml").exists()) {
        let chart = HelmChart::path(&path);
        for directory in sorted(&path.join("cases")) {
            let facts: Value = serde_json::from_str(&fs::read_to_string(directory.join("case.json")).unwrap()).unwrap();
            let case = directory.display();
            let Some(context) = context(&directory, &facts) else {
                assert!(facts["error"].is_string(), "{case}: its values are malformed");
                failed += 1;
                continue;
            };
            Generator::<()>::check(&chart).unwrap();
            let found = objects(&chart, &context).await;
            if facts["error"].is_string() {
                assert!(matches!(found, Err(RenderError::Input(_))), "{case}: {found:?}");
                failed += 1;
                continue;
            }
            let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(comparable(found), comparable(expected(&directory)), "{case}");
            equal += 1;
        }
    }
    println!("{equal} cases are equal, {failed} fail as they must");
    assert!(equal >= 100 && failed >= 19, "{equal} and {failed}");
}
