//! Templates, their data, and kustomization files (KUS-4, KUS-6, KUS-7).

use kubewright_render::{Generator as _, Kustomization, RenderError};
use serde_json::json;

use crate::rendering::{
    config_map, context, failure, fault, kustomization, kustomization_at, map, names, objects, resolved, text_of, texts,
};

// KUS-4
#[tokio::test]
async fn every_file_is_a_template_by_default() {
    let files = [
        (
            "kustomization.yaml",
            "namePrefix: {{ .prefix }}\nresources: [a.yaml]\nconfigMapGenerator: [{name: g, files: [g.txt]}]\n",
        ),
        ("a.yaml", &config_map("a", "{{ .x | upper }}")),
        ("g.txt", "{{ .x }}{{ .absent }}"),
    ];
    let found = objects(&kustomization(&files), json!({ "prefix": "p-", "x": "v" })).await;
    assert_eq!(found[0]["metadata"]["name"], "p-a");
    assert_eq!(found[0]["data"]["text"], "V");
    assert_eq!(found[1]["data"]["g.txt"], "v");
    let name = found[1]["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("p-g-") && name.len() == "p-g-".len() + 10, "{name} has a hash suffix");
}

// KUS-4
#[tokio::test]
async fn only_files_with_the_suffix_are_templates_and_lose_it_in_their_outputs() {
    let files = [
        ("kustomization.yaml", "resources: [a.yaml, sub/b.yaml]\n"),
        ("a.yaml.gotmpl", &config_map("a", "{{ template \"sub/b.yaml.gotmpl\" . }}")),
        (
            "sub/b.yaml.gotmpl",
            "{{ with .none }}{{ end }}{{ if eq .x `v` }}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}{{ end }}",
        ),
        ("c.yaml", "not: [listed, {{ and not a template"),
    ];
    let kustomization = kustomization(&files).template_suffix(".gotmpl");
    let error = match kustomization.render(&context(json!({ "x": "v" }))).await {
        Err(RenderError::Input(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(error.contains("a.yaml"), "the template is known by its whole name, and its text is no YAML here: {error}");
    let found = objects(&kustomization, json!({ "x": "w" })).await;
    assert_eq!(names(&found), ["a"], "an empty output has no objects");
}

// KUS-4
#[tokio::test]
async fn templates_of_one_kustomization_see_the_definitions_of_each_other() {
    let files = [
        ("z/_helpers.tpl", "{{ define \"name\" }}{{ .x }}-name{{ end }}"),
        ("a.yaml", &config_map("a", "{{ include \"name\" . }} {{ tpl \"{{ .x }}\" . }}")),
    ];
    assert_eq!(texts(&objects(&kustomization(&files), json!({ "x": "v" })).await)["a"], "v-name v");
}

// KUS-4
#[test]
fn two_files_with_one_output_are_an_error() {
    for files in [[("a.yaml", "x"), ("a.yaml.t", "y")], [("a.yaml", "x"), ("a.yaml.t", "{{ .y }}")]] {
        let error = fault(&kustomization(&files).template_suffix(".t"));
        assert_eq!(error, "a.yaml.t: the output \"a.yaml\" is that of another file, too");
    }
    let error = fault(&kustomization(&[("sub/.t", "x")]).template_suffix(".t"));
    assert!(error.starts_with("sub/.t: the file has no name besides the suffix"), "{error}");
}

// KUS-4
#[tokio::test]
async fn a_binary_file_without_marks_is_copied_and_one_with_marks_is_refused() {
    let generator = "configMapGenerator: [{name: g, files: [logo.bin]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n";
    let with = |binary: &[u8]| {
        let files = [("kustomization.yaml", generator.as_bytes().to_vec()), ("logo.bin", binary.to_vec())];
        Kustomization::files(files, "")
    };
    let found = objects(&with(b"\xff\x00\xfe"), json!({})).await;
    assert_eq!(found[0]["binaryData"]["logo.bin"], "/wD+");
    assert!(
        fault(&with(b"\xff{{ .x }}")).starts_with("logo.bin: the file is no template, because it is not UTF-8; set a suffix")
    );
}

// KUS-6
#[tokio::test]
async fn values_are_merged_with_the_parameters_as_keys_of_the_data() {
    let text = "{{ .a.b }} {{ .a.c }} {{ .l }} {{ hasKey . `gone` }} {{ hasKey .a `d` }} {{ .m }}.";
    let values = map(json!({ "a": { "b": 1, "c": 2, "d": 3 }, "l": [1, 2], "gone": "x", "m": { "x": 1 } }));
    let kustomization = kustomization(&[("a.yaml", &config_map("a", text))]).values(values);
    let parameters = json!({ "a": { "c": "new", "d": null }, "l": [3], "gone": null, "m": "scalar" });
    assert_eq!(texts(&objects(&kustomization, parameters).await)["a"], "1 new [3] false false scalar.");
    assert_eq!(texts(&objects(&kustomization, json!({})).await)["a"], "1 2 [1 2] true true map[x:1].", "inputs are not changed");
}

// KUS-6, TPL-1
#[tokio::test]
async fn missing_keys_render_empty() {
    assert_eq!(text_of("x{{ .a }}y{{ .b.c }}z{{ .d | default `e` }}", json!({ "b": {} })).await, "xyze");
}

// TPL-2
#[tokio::test]
async fn a_template_that_changes_its_data_does_not_change_those_of_others() {
    let files = [("a.yaml", config_map("a", "{{ $_ := set . `x` `changed` }}{{ .x }}")), ("b.yaml", config_map("b", "{{ .x }}"))];
    let kustomization = Kustomization::files(files, "");
    for _ in 0..2 {
        let found = texts(&objects(&kustomization, json!({ "x": "v" })).await);
        assert_eq!((found["a"].as_str(), found["b"].as_str()), ("changed", "v"));
    }
}

// KUS-7
#[tokio::test]
async fn without_a_kustomization_file_all_yaml_files_are_taken() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| config_map(name, "x"));
    let files = [("a.yaml", a.as_str()), ("sub/b.yml", &b), (".c.yaml", &c), ("d.json", &d), ("README.md", "# no YAML")];
    assert_eq!(names(&objects(&kustomization(&files), json!({})).await), ["a", "b"]);
}

// KUS-7
#[tokio::test]
async fn a_kustomization_file_may_be_the_output_of_a_template() {
    let files = [
        ("kustomization.yaml.t", "resources: [{{ .which }}.yaml]\n"),
        ("a.yaml", &config_map("a", "x")),
        ("b.yaml", &config_map("b", "x")),
    ];
    assert_eq!(names(&objects(&kustomization(&files).template_suffix(".t"), json!({ "which": "b" })).await), ["b"]);
}

// KUS-7, GEN-7
#[tokio::test]
async fn no_resources_are_no_objects() {
    assert!(objects(&kustomization(&[]), json!({})).await.is_empty());
    assert!(objects(&kustomization(&[("notes.txt", "x"), ("a.yaml", "{{ if .x }}a{{ end }}")]), json!({})).await.is_empty());
    let files = [("over/kustomization.yaml", "resources: [../base]\n"), ("base/notes.txt", "")];
    assert!(objects(&kustomization_at(&files, "over").included_kustomizations(["../base"]), json!({})).await.is_empty());
}

// GEN-4
#[tokio::test]
async fn errors_name_the_file_and_the_line() {
    let with = |content: &str| kustomization_at(&[("k/sub/a.yaml", content)], "k");
    let parse = with("a: 1\nb: {{ .x");
    assert!(fault(&parse).starts_with("k/sub/a.yaml:2: "), "{}", fault(&parse));
    let unknown = with("a: 1\n\nb: {{ nothing }}");
    assert_eq!(fault(&unknown), "k/sub/a.yaml:3: function \"nothing\" not defined");
    assert_eq!(fault(&with("{{ env `HOME` }}")), "k/sub/a.yaml:1: function \"env\" is not available in operators");
    assert_eq!(
        failure(&with("a: 1\nb: {{ fail `the host is missing` }}")).await,
        "k/sub/a.yaml:2: column 7: the host is missing"
    );
    let error = failure(&with("{{ define `part` }}\n{{ .x.y.z }}{{ end }}\n\na: {{ include `part` . }}")).await;
    assert!(error.starts_with("k/sub/a.yaml:4: column 7: executing \"sub/a.yaml\" at <include `part` .>"), "{error}");
    assert!(error.contains("sub/a.yaml:2:5: executing \"part\" at <.x.y.z>: nil pointer"), "{error}");
    let build = failure(&with("kind: [")).await;
    assert!(build.starts_with("k/sub/a.yaml: "), "{build}");
    let fields = kustomization(&[("kustomization.yaml", "resourcess: []\n")]);
    assert!(failure(&fields).await.starts_with("kustomization.yaml: resourcess: invalid Kustomization: unknown field"));
}

#[tokio::test]
async fn templates_are_compiled_once_and_render_equally_at_once_on_many_threads() {
    let files = [("a.yaml", config_map("a", "{{ randAlphaNum 20 }}{{ uuidv4 }}{{ now | unixEpoch }}"))];
    let kustomization = std::sync::Arc::new(Kustomization::files(files, ""));
    let first = objects(&*kustomization, json!({})).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let kustomization = kustomization.clone();
        tasks.spawn(async move { resolved(kustomization.render(&context(json!({}))).await.unwrap()) });
    }
    for objects in tasks.join_all().await {
        assert_eq!(objects, first);
    }
}
