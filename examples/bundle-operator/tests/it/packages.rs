//! Charts and kustomizations as sources of a Bundle.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bundle_operator::{Bundle, BundlePackages};
use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::world::{bundle, message};

const CHART: &str = "apiVersion: v2\nname: hello\nversion: 1.0.0\n";
const TEMPLATE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hello\ndata:\n  text: {{ .Values.text | quote }}\n";

/// Returns a chart as base64 of a `.tgz`, whose template is this one.
fn archive(template: &str) -> String {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in
        [("hello/Chart.yaml", CHART), ("hello/values.yaml", "text: default\n"), ("hello/templates/map.yaml", template)]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    STANDARD.encode(archive.into_inner().unwrap().finish().unwrap())
}

/// Returns a Secret with a chart whose template is this one.
fn packed(template: &str) -> Value {
    let data = json!({ "chart.tgz": archive(template) });
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "chart" }, "data": data })
}

/// Returns a ConfigMap with a chart whose template is this one.
fn packed_map(name: &str, key: &str, template: &str) -> Value {
    let data = json!({ key: archive(template) });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "binaryData": data })
}

fn files(name: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

async fn text_of(cluster: &TestCluster, name: &str) -> Value {
    cluster.get::<ConfigMap>(name).await.map(|mut map| map["data"]["text"].take()).unwrap_or_default()
}

// HELM-1, REF-2
#[tokio::test]
async fn a_chart_in_a_secret_is_installed_upgraded_with_it_and_removed() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(packed(TEMPLATE)).await;
    let charts = |values: Value| json!({ "charts": [{ "archive": { "name": "chart" }, "values": values }] });
    cluster.apply(bundle("demo", charts(json!({ "text": "first" })))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(text_of(&cluster, "demo-hello").await, "first");
    cluster.apply(bundle("demo", charts(json!({})))).await;
    let has = |text: &'static str| move |map: &Value| map["data"]["text"] == text;
    cluster.expect::<ConfigMap>("demo-hello").matching("the chart's default", has("default")).await;
    cluster.apply(packed(&TEMPLATE.replace("| quote", "| upper | quote"))).await;
    cluster.expect::<ConfigMap>("demo-hello").matching("the text of the new chart", has("DEFAULT")).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.delete::<Secret>("chart").await;
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    assert!(cluster.get::<ConfigMap>("demo-hello").await.is_none());
    operator.stop().await;
    cluster.stop().await;
}

// REF-3, REF-6
#[tokio::test]
async fn a_chart_in_the_binary_data_of_a_config_map_is_installed_and_upgraded_with_it() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let charts = |archive: Value| json!({ "charts": [{ "configMapArchive": archive }] });
    cluster.apply(packed_map("chart", "chart.tgz", TEMPLATE)).await;
    cluster.apply(bundle("demo", charts(json!({ "name": "chart" })))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(text_of(&cluster, "demo-hello").await, "default");
    cluster.apply(packed_map("chart", "chart.tgz", &TEMPLATE.replace("| quote", "| upper | quote"))).await;
    let has = |text: &'static str| move |map: &Value| map["data"]["text"] == text;
    cluster.expect::<ConfigMap>("demo-hello").matching("the text of the new chart", has("DEFAULT")).await;
    let other = TEMPLATE.replace("| quote", "| title | quote");
    cluster.apply(packed_map("other", "hello-2.0.0.tgz", &other)).await;
    cluster.apply(bundle("demo", charts(json!({ "name": "other", "key": "hello-2.0.0.tgz" })))).await;
    cluster.expect::<ConfigMap>("demo-hello").matching("the text of the other chart", has("Default")).await;
    operator.stop().await;
    cluster.stop().await;
}

// REF-3
#[tokio::test]
async fn a_chart_can_have_another_key_of_a_secret() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let data = json!({ "hello-1.0.0.tgz": archive(TEMPLATE) });
    cluster.apply(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "chart" }, "data": data })).await;
    let archive = json!({ "name": "chart", "key": "hello-1.0.0.tgz" });
    cluster.apply(bundle("demo", json!({ "charts": [{ "archive": archive }] }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(text_of(&cluster, "demo-hello").await, "default");
    operator.stop().await;
    cluster.stop().await;
}

// REF-6
#[tokio::test]
async fn files_in_the_binary_data_of_a_config_map_are_files_of_the_chart() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let template = TEMPLATE.replace(".Values.text", "(.Files.Get \"logo\" | b64enc)");
    let chart = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "chart" },
        "data": { "Chart.yaml": CHART, "map": template },
        "binaryData": { "logo": "AP8B" },
    });
    cluster.apply(chart).await;
    let items = json!([{ "key": "map", "path": "templates/map.yaml" }]);
    cluster.apply(bundle("demo", json!({ "charts": [{ "files": { "name": "chart", "items": items } }] }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(text_of(&cluster, "demo-hello").await, "AP8B");
    operator.stop().await;
    cluster.stop().await;
}

// GEN-9, HELM-1
#[tokio::test]
async fn equal_charts_of_all_bundles_are_compiled_once_and_changed_ones_anew() {
    let cluster = TestCluster::start().await;
    let packages = BundlePackages::default();
    let operator = cluster.run(bundle_operator::operator_with(&packages)).await;
    cluster.apply(packed(TEMPLATE)).await;
    cluster.apply(packed_map("chart", "chart.tgz", TEMPLATE)).await;
    let spec = |source: &str, text: &str| json!({ "charts": [{ source: { "name": "chart" }, "values": { "text": text } }] });
    cluster.apply(bundle("demo", spec("archive", "first"))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.apply(bundle("demo", spec("archive", "second"))).await;
    let has = |text: &'static str| move |map: &Value| map["data"]["text"] == text;
    cluster.expect::<ConfigMap>("demo-hello").matching("rendered again", has("second")).await;
    cluster.apply(bundle("other", spec("configMapArchive", "third"))).await;
    cluster.expect::<Bundle>("other").ready().await;
    assert_eq!(text_of(&cluster, "other-hello").await, "third");
    assert_eq!(packages.compiled_charts(), 1);
    cluster.apply(packed(&TEMPLATE.replace("| quote", "| upper | quote"))).await;
    cluster.expect::<ConfigMap>("demo-hello").matching("the text of the new chart", has("SECOND")).await;
    assert_eq!(packages.compiled_charts(), 2);
    operator.stop().await;
    cluster.stop().await;
}

// GEN-9
#[tokio::test]
async fn equal_kustomizations_are_compiled_once_and_other_paths_and_files_anew() {
    let cluster = TestCluster::start().await;
    let packages = BundlePackages::default();
    let operator = cluster.run(bundle_operator::operator_with(&packages)).await;
    let map = |name: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{text: \"{{{{ .text }}}}\"}}\n")
    };
    cluster.apply(files("site", &json!({ "a": map("a"), "b": map("b") }))).await;
    let items = json!([{ "key": "a", "path": "a/map.yaml" }, { "key": "b", "path": "b/map.yaml" }]);
    let site = |path: &str, text: &str| json!({ "kustomizations": [{ "files": { "name": "site", "items": items }, "path": path, "values": { "text": text } }] });
    for (path, text, compiled) in [("a", "first", 1), ("a", "second", 1), ("b", "second", 2)] {
        cluster.apply(bundle("demo", site(path, text))).await;
        cluster.expect::<ConfigMap>(path).matching("its text", |map| map["data"]["text"] == text).await;
        assert_eq!(packages.compiled_kustomizations(), compiled);
    }
    cluster.patch::<ConfigMap>("site", json!({ "data": { "b": map("b").replace(".text", ".text | upper") } })).await;
    cluster.expect::<ConfigMap>("b").matching("its new text", |map| map["data"]["text"] == "SECOND").await;
    assert_eq!(packages.compiled_kustomizations(), 3);
    operator.stop().await;
    cluster.stop().await;
}

// HELM-1, KUS-4, KUS-6
#[tokio::test]
async fn charts_and_kustomizations_in_config_maps_have_paths_of_items() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(files("chart", &json!({ "Chart.yaml": CHART, "map": TEMPLATE }))).await;
    let kustomization = "namePrefix: {{ .zone }}-\nresources: [base]\n";
    let base = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site}\ndata: {text: hello}\n";
    let data = json!({ "eu": kustomization, "base": "resources: [map.yaml]\n", "map": base });
    cluster.apply(files("site", &data)).await;
    let items = json!([
        { "key": "eu", "path": "eu/kustomization.yaml" },
        { "key": "base", "path": "eu/base/kustomization.yaml" },
        { "key": "map", "path": "eu/base/map.yaml" },
    ]);
    let spec = json!({
        "charts": [{ "files": { "name": "chart", "items": [{ "key": "map", "path": "templates/map.yaml" }] }, "values": { "text": "a" } }],
        "kustomizations": [{ "files": { "name": "site", "items": items }, "path": "eu", "values": { "zone": "eu" } }],
    });
    cluster.apply(bundle("demo", spec)).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(text_of(&cluster, "demo-hello").await, "a");
    assert_eq!(text_of(&cluster, "eu-site").await, "hello");
    operator.stop().await;
    cluster.stop().await;
}

// GEN-4
#[tokio::test]
async fn a_broken_package_is_named_with_field_and_file() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(packed("a: 1\nb: {{ .Values.x\n")).await;
    cluster.apply(files("site", &json!({ "kustomization.yaml": "resource: []\n", "more": "" }))).await;
    for (spec, expected) in [
        (json!({ "charts": [{ "archive": { "name": "chart" } }] }), "spec.charts[0]: hello/templates/map.yaml:"),
        (json!({ "charts": [{}] }), "spec.charts[0]: found no source; allowed: one of archive, configMapArchive and files"),
        (
            json!({ "charts": [{ "archive": { "name": "chart" }, "files": { "name": "site" } }] }),
            "spec.charts[0]: found archive and files; allowed: one of archive, configMapArchive and files",
        ),
        (
            json!({ "kustomizations": [{ "files": { "name": "site", "items": [
                { "key": "kustomization.yaml", "path": "a.yaml" }, { "key": "more", "path": "a.yaml" },
            ] } }] }),
            "spec.kustomizations[0].files: two keys of ConfigMap site have the path a.yaml; allowed: one for each path",
        ),
        (json!({ "kustomizations": [{ "files": { "name": "site" } }] }), "spec.kustomizations[0]: kustomization.yaml: resource"),
    ] {
        cluster.apply(bundle("demo", spec)).await;
        let says = |bundle: &Value| message(bundle).starts_with(expected) && bundle["status"]["state"] == "Error";
        cluster.expect::<Bundle>("demo").matching(&format!("its message is {expected:?}"), says).await;
    }
    operator.stop().await;
    cluster.stop().await;
}

// REF-5
#[tokio::test]
async fn a_bundle_waits_for_a_key_that_is_a_file() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(files("chart", &json!({ "Chart.yaml": CHART }))).await;
    let items = json!([{ "key": "map", "path": "templates/map.yaml" }]);
    let spec = json!({ "charts": [{ "files": { "name": "chart", "items": items } }] });
    cluster.apply(bundle("demo", spec)).await;
    let expected = format!("key map not found in ConfigMap {}/chart", cluster.namespace());
    let says = |bundle: &Value| message(bundle) == expected;
    cluster.expect::<Bundle>("demo").matching("it waits for the key", says).await;
    cluster.patch::<ConfigMap>("chart", json!({ "data": { "map": TEMPLATE } })).await;
    cluster.expect::<Bundle>("demo").ready().await;
    operator.stop().await;
    cluster.stop().await;
}
