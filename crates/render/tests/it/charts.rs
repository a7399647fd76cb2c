//! Helm charts as generators.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kubewright_render::include_dir::{Dir, include_dir};
use kubewright_render::{
    ChartLimits, Generator, HelmChart, Parameter, Question, RenderContext, RenderError, RenderInputs, Signature, TemplateLimits,
};
use serde_json::{Value, json};

use crate::cluster::{FakeCluster, context, inputs, objects, type_lists};

static HELLO: Dir = include_dir!("$CARGO_MANIFEST_DIR/tests/charts/hello");

const METADATA: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

/// Returns a chart whose only template makes a ConfigMap with these lines of data.
fn chart(lines: &[&str]) -> HelmChart {
    chart_of(METADATA, lines)
}

fn chart_of(metadata: &str, lines: &[&str]) -> HelmChart {
    let template = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  {}\n", lines.join("\n  "));
    HelmChart::files([("Chart.yaml", metadata), ("templates/map.yaml", template.as_str())])
}

/// Returns the data of the ConfigMap.
async fn data(chart: &HelmChart, context: &RenderContext<()>) -> Result<Value, RenderError> {
    Ok(objects(chart, context).await?[0]["data"].clone())
}

fn bare() -> RenderContext<()> {
    context(&FakeCluster::default(), json!({}), inputs())
}

fn fault(chart: &HelmChart) -> String {
    Generator::<()>::check(chart).unwrap_err().to_string()
}

// HELM-11
#[tokio::test]
async fn templates_see_the_release_of_the_component_and_its_values() {
    let chart = chart(&[
        "release: {{ .Release.Namespace }}/{{ .Release.Name }} by {{ .Release.Service }}",
        "revision: {{ .Release.Revision }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }}",
        "size: {{ .Values.size | quote }}",
    ]);
    let first = context(&FakeCluster::default(), json!({ "size": 3 }), inputs());
    let expected = json!({ "release": "shop/web by op.example.com", "revision": "1 true false", "size": "3" });
    assert_eq!(data(&chart, &first).await.unwrap(), expected);
    let second = context(&FakeCluster::default(), json!({}), RenderInputs { revision: 2, ..inputs() });
    assert_eq!(data(&chart, &second).await.unwrap()["revision"], "2 false true");
}

// GEN-5, HELM-11
#[tokio::test]
async fn only_the_capabilities_that_templates_ask_for_become_inputs() {
    let serves = |api: &str| Question::Serves(api.to_owned());
    let mut types = type_lists(["apps/v1", "apps/v1/Deployment", "v1"]);
    types[0]["resources"].as_array_mut().unwrap().push(json!({ "name": "deployment/scale", "kind": "Scale" }));
    let cluster = FakeCluster::default()
        .with(serves("apps/v1/Deployment"), json!(true))
        .with(Question::ServedTypes, types)
        .with(Question::Version, json!({ "major": "1", "minor": "29+", "gitVersion": "v1.29.4-gke.100" }));
    let has = "{{ .Capabilities.APIVersions.Has \"apps/v1/Deployment\" }} {{ .Capabilities.APIVersions.Has \"x/v1\" }}";
    let has = format!("a: {has}");
    let cases = [
        ("a: b", "b", vec![]),
        (has.as_str(), "true false", vec![serves("apps/v1/Deployment"), serves("x/v1")]),
        ("a: {{ .Capabilities.KubeVersion.Version }}", "v1.29.4-gke.100", vec![Question::Version]),
        ("a: {{ .Capabilities.APIVersions | join \" \" }}", "apps/v1 apps/v1/Deployment v1", vec![Question::ServedTypes]),
    ];
    for (line, expected, questions) in cases {
        let context = context(&cluster, json!({}), inputs());
        assert_eq!(data(&chart(&[line]), &context).await.unwrap()["a"], expected, "{line}");
        assert_eq!(context.asked().into_keys().collect::<BTreeSet<_>>(), questions.into_iter().collect(), "{line}");
    }
}

// HELM-4
#[tokio::test]
async fn a_chart_for_other_versions_of_kubernetes_is_an_input_error() {
    let chart = chart_of(&format!("{METADATA}kubeVersion: \">=1.40.0\"\n"), &["a: b"]);
    assert!(Generator::<()>::check(&chart).is_ok());
    let context = bare();
    let error = data(&chart, &context).await.unwrap_err();
    assert!(matches!(error, RenderError::Input(_)));
    assert_eq!(error.to_string(), "chart requires kubeVersion: >=1.40.0 which is incompatible with Kubernetes v1.36.2");
    // A newer server is a reason to render again.
    assert!(context.asked().contains_key(&Question::Version));
}

// GEN-3, GEN-6
#[tokio::test]
async fn random_functions_and_the_time_are_those_of_the_component_and_its_revision() {
    let chart = chart(&["password: {{ randAlphaNum 20 }}", "id: {{ uuidv4 }}", "now: {{ now | unixEpoch | quote }}"]);
    let of = async |inputs: RenderInputs| data(&chart, &context(&FakeCluster::default(), json!({}), inputs)).await.unwrap();
    let created = Some("2026-01-02T03:04:05Z".parse().unwrap());
    let first = of(RenderInputs { created, ..inputs() }).await;
    assert_eq!(first, of(RenderInputs { created, ..inputs() }).await);
    assert_eq!(first["now"], "1767323045");
    let others = [RenderInputs { revision: 2, ..inputs() }, RenderInputs { uid: "uid-2".to_owned(), ..inputs() }];
    for other in others {
        let other = of(other).await;
        assert!(other["password"] != first["password"] && other["id"] != first["id"], "{other}");
    }
}

// HELM-1, HELM-3
#[tokio::test]
async fn embedded_directories_and_paths_render_alike() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/charts/hello");
    for chart in [HelmChart::embedded(&HELLO), HelmChart::path(directory)] {
        assert!(Generator::<()>::check(&chart).is_ok());
        assert_eq!(data(&chart, &bare()).await.unwrap(), json!({ "greeting": "hello", "docs": "" }));
    }
}

// HELM-1
#[tokio::test]
async fn copies_share_the_chart_that_was_loaded_once() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("loaded-once");
    std::fs::create_dir_all(directory.join("templates")).unwrap();
    std::fs::write(directory.join("Chart.yaml"), METADATA).unwrap();
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n";
    std::fs::write(directory.join("templates/map.yaml"), template).unwrap();
    let chart = HelmChart::path(&directory);
    let copy = chart.clone();
    assert!(Generator::<()>::check(&chart).is_ok());
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(data(&copy, &bare()).await.unwrap(), json!({ "a": "b" }));
    assert!(fault(&HelmChart::path(&directory)).contains("loaded-once"));
}

// GEN-4, HELM-1
#[tokio::test]
async fn a_broken_chart_is_found_at_start_with_file_and_line() {
    let broken = chart(&["a: {{ if }}"]);
    assert_eq!(fault(&broken), "web/templates/map.yaml:5: missing value for if");
    assert_eq!(data(&broken, &bare()).await.unwrap_err().to_string(), fault(&broken));
    assert!(fault(&HelmChart::archive(*b"no archive")).contains("gzip"));
    let library = chart_of(&format!("{METADATA}type: library\n"), &[]);
    assert_eq!(fault(&library), "library charts are not installable");
    let unnamed = HelmChart::files([("Chart.yaml", "version: 1.0.0\n")]);
    assert!(fault(&unnamed).contains("chart.metadata.name"), "{}", fault(&unnamed));
}

// GEN-4, TPL-1
#[tokio::test]
async fn a_failing_template_is_named_with_line_and_reason() {
    let failed = data(&chart(&["a: b", "c: {{ required \"a host is needed\" .Values.host }}"]), &bare()).await.unwrap_err();
    assert!(matches!(failed, RenderError::Input(_)));
    assert!(failed.to_string().starts_with("web/templates/map.yaml:6: column "), "{failed}");
    assert!(failed.to_string().ends_with(": a host is needed"), "{failed}");
}

// TPL-4
#[tokio::test]
async fn operators_add_functions_but_replace_none() {
    let shout = |name| {
        chart(&["a: {{ shout .Release.Name }}"])
            .function(name, Signature::of(&[Parameter::String]), |call| Ok(call.string(0).to_text().to_uppercase().into()))
    };
    assert_eq!(data(&shout("shout"), &bare()).await.unwrap()["a"], "WEB");
    for taken in ["upper", "lookup", "mustLookup", "include", "printf", "env"] {
        let fault = fault(&shout(taken));
        assert!(fault.starts_with(&format!("the function {taken:?} of the operator cannot be added")), "{fault}");
    }
}

// HELM-8, HELM-13
#[tokio::test]
async fn warnings_of_the_chart_are_those_of_the_rendering() {
    let policy = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  annotations: {helm.sh/resource-policy: drop}\n";
    let chart = HelmChart::files([("Chart.yaml", METADATA), ("templates/map.yaml", policy)]);
    let context = bare();
    objects(&chart, &context).await.unwrap();
    let expected = "web/templates/map.yaml: ConfigMap web: the annotation helm.sh/resource-policy has no effect: its value is \"drop\" (allowed: keep)";
    assert_eq!(context.warnings(), [expected]);
}

#[tokio::test]
async fn a_chart_can_be_rendered_as_helm_3_does() {
    let chart = chart(&["a: {{ .Capabilities.HelmVersion.Version }}"]);
    assert_eq!(data(&chart, &bare()).await.unwrap()["a"], "v4.3.1");
    assert_eq!(data(&chart.helm3(), &bare()).await.unwrap()["a"], "v3.22.0");
}

// TPL-2
#[tokio::test]
async fn limits_hold_for_the_files_and_for_a_rendering() {
    let large = chart(&["a: b"]).limits(ChartLimits { files: 1, ..ChartLimits::default() });
    assert!(fault(&large).contains("has more than 1 files"), "{}", fault(&large));
    let slow =
        chart(&["a: {{ range 100 }}x{{ end }}"]).template_limits(TemplateLimits { steps: 50, ..TemplateLimits::default() });
    let error = data(&slow, &bare()).await.unwrap_err().to_string();
    assert!(error.contains("exceeds the limit of 50 steps"), "{error}");
}

// HELM-14, DEL-6
#[tokio::test]
async fn hooks_become_dependents_with_orders() {
    let hook = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: prepare\n  annotations:\n    helm.sh/hook: pre-install,pre-upgrade,post-delete\n    helm.sh/hook-weight: \"-5\"\n    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded\n";
    let chart = HelmChart::files([("Chart.yaml", METADATA), ("templates/job.yaml", hook)]);
    let marks = async |revision| {
        let context = context(&FakeCluster::default(), json!({}), RenderInputs { revision, ..inputs() });
        let objects = objects(&chart, &context).await.unwrap();
        let mark = |object: &Value, key: &str| object["metadata"]["annotations"][format!("op.example.com/{key}")].clone();
        let keys = ["lifecycle", "reconcile-policy", "update-policy", "apply-order", "purge-order"];
        objects.iter().map(|object| keys.map(|key| mark(object, key))).collect::<Vec<_>>()
    };
    let deletion = [json!("post-delete"), json!("on-object-change"), json!("recreate"), json!("-5"), json!("201")];
    let install = [Value::Null, json!("once"), json!("recreate"), json!("-106"), json!("-1")];
    assert_eq!(marks(1).await, [install, deletion.clone()]);
    let upgrade = [Value::Null, json!("on-object-or-component-change"), json!("recreate"), json!("-106"), json!("-1")];
    assert_eq!(marks(2).await, [upgrade, deletion]);
}
