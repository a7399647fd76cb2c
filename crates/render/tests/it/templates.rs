//! Directories of templates without kustomization features.

use kubewright_render::{Generator, GoValue, Signature, Templates};
use serde_json::json;

use crate::rendering::{Demo, config_map, context, failure, fault, map, names, objects, texts, written};

fn templates(files: &[(&str, &str)]) -> Templates {
    Templates::files(files.iter().map(|(path, content)| (*path, *content)), "")
}

#[tokio::test]
async fn outputs_are_split_into_documents_in_the_order_of_names() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| config_map(name, "{{ .x }}"));
    let files = [
        ("2.yaml", format!("{b}---\n# nothing\n---\n{c}")),
        ("1.yml", a),
        ("sub/3.json", r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "{{ name }}"}}"#.to_owned()),
        (".hidden.yaml", d),
        ("helpers.tpl", "{{ define `x` }}no YAML: [{{ end }}a: [".to_owned()),
        ("kustomization.yaml", "{{ if false }}{{ end }}".to_owned()),
    ];
    let found = objects(&Templates::files(files, ""), json!({ "x": "v" })).await;
    assert_eq!(names(&found), ["a", "b", "c", "web"]);
    assert_eq!(texts(&found)["c"], "v");
}

#[tokio::test]
async fn control_files_options_and_functions_are_those_of_kustomizations() {
    let files = [
        (".component-config.yaml", "templateSuffix: .tpl\nvalues: {x: own}\nincludedFiles: [../motd]\n"),
        (".component-ignore", "b.yaml\n"),
        ("a.yaml.tpl", &config_map("a", "<{{ .x }} {{ readFile `../motd` }} {{ component.Status.State }} {{ mine }}")),
        ("b.yaml", "x: ["),
    ];
    let files = files.map(|(path, content)| (format!("t/{path}"), content.to_owned()));
    let files = files.into_iter().chain([("motd".to_owned(), "hi".to_owned())]);
    let templates =
        Templates::files(files, "t")
            .values(map(json!({ "x": "options" })))
            .function("mine", Signature::of(&[]), |_| Ok(GoValue::string("m")));
    assert_eq!(texts(&objects(&templates, json!({})).await)["a"], "<own hi Ready m");
}

#[tokio::test]
async fn a_directory_on_the_disk_is_read_with_its_sub_directories() {
    let [a, b] = ["a", "b"].map(|name| config_map(name, "x"));
    let root = written("templates", &[("sub/b.yaml", &b), ("a.yaml", &a)]);
    assert_eq!(names(&objects(&Templates::directory(&root), json!({})).await), ["a", "b"]);
}

// GEN-4
#[tokio::test]
async fn errors_name_the_file_and_the_line() {
    assert!(fault(&broken("{{ end }}")).starts_with("sub/a.yaml:1: "));
    assert_eq!(failure(&broken("a: 1\n{{ fail `no` }}")).await, "sub/a.yaml:2: column 4: no");
    let error = failure(&broken("apiVersion: v1\n")).await;
    assert!(error.starts_with("sub/a.yaml:1: document 1: kind is missing"), "{error}");
    let config = templates(&[(".component-config.yaml", "includedKustomizations: [../x]\n")]);
    assert!(fault(&config).contains("only kustomizations can include others"));
}

fn broken(content: &str) -> Templates {
    templates(&[("sub/a.yaml", content)])
}

// GEN-7
#[tokio::test]
async fn no_files_are_no_objects() {
    let manifests = templates(&[]).render(&context(json!({}))).await.unwrap();
    assert!(manifests.is_empty());
    assert!(Generator::<Demo>::check(&templates(&[])).is_ok());
}
