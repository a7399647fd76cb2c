//! Replacements.

use serde_json::{Value, json};

use crate::files::{built, deployment, failure, map};

fn files(replacements: &str) -> [(&'static str, String); 3] {
    let kustomization = format!("resources: [m.yaml, d.yaml]\nreplacements:\n{replacements}");
    [("kustomization.yaml", kustomization), ("m.yaml", map("m")), ("d.yaml", deployment("d", "m"))]
}

fn replaced(replacements: &str) -> Value {
    let files = files(replacements);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    built(&files).unwrap().remove(1)
}

fn refused(replacements: &str) -> String {
    let files = files(replacements);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    failure(&files)
}

const SOURCE: &str = "- source: {kind: ConfigMap, fieldPath: data.k}\n  targets:\n  - select: {kind: Deployment}\n";

#[test]
fn values_are_written_by_paths_with_keys_and_wildcards() {
    let written =
        |path: &str| replaced(&format!("{SOURCE}    fieldPaths: [{path}]"))["spec"]["template"]["spec"]["containers"][0].clone();
    assert_eq!(written("'spec.template.spec.containers.[name=c].image'")["image"], "v");
    assert_eq!(written("spec.template.spec.containers.*.image")["image"], "v");
    assert_eq!(written("spec.template.spec.containers.0.image")["image"], "v");
}

#[test]
fn fields_and_items_are_created_on_request() {
    let created = |path: &str| replaced(&format!("{SOURCE}    fieldPaths: [{path}]\n    options: {{create: true}}"));
    assert_eq!(created("metadata.annotations.a")["metadata"]["annotations"], json!({"a": "v"}));
    assert_eq!(created("'spec.list.[name=x].value'")["spec"]["list"], json!([{"name": "x", "value": "v"}]));
    assert!(
        refused(&format!("{SOURCE}    fieldPaths: [metadata.annotations.a]"))
            .contains("unable to find field \"metadata.annotations.a\"")
    );
}

#[test]
fn parts_of_texts_are_taken_and_written() {
    let written = |options: &str| {
        let text = format!("{SOURCE}    fieldPaths: ['spec.template.spec.containers.0.image']\n    options: {options}");
        replaced(&text)["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()
    };
    assert_eq!(written("{delimiter: ':', index: 1}"), "r/i:v");
    assert_eq!(written("{delimiter: ':', index: -1}"), "v:r/i:1");
    assert_eq!(written("{delimiter: ':', index: 9}"), "r/i:1:v");
}

#[test]
fn rejected_resources_are_left_out() {
    let rejecting = |reject: &str| {
        replaced(&format!(
            "- sourceValue: x\n  targets:\n  - select: {{}}\n    reject: [{reject}]\n    fieldPaths: [metadata.labels.l]\n    options: {{create: true}}"
        ))
    };
    assert_eq!(rejecting("{kind: ConfigMap}")["metadata"]["labels"], json!({"l": "x"}));
    assert_eq!(rejecting("{kind: Deployment}")["metadata"].get("labels"), None);
}

#[test]
fn json_inside_of_a_text_is_changed() {
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {json: '{\"a\":{\"b\":1},\"c\":[]}', flow: '{a: 1, on: yes}', yaml: 'a: {b: 1}'}}";
    let replacing = |path: &str| {
        let kustomization = format!(
            "resources: [m.yaml]\nreplacements: [{{sourceValue: '2', targets: [{{select: {{}}, fieldPaths: [{path}]}}]}}]"
        );
        built(&[("kustomization.yaml", &kustomization), ("m.yaml", object)])
    };
    assert_eq!(replacing("data.json.a.b").unwrap()[0]["data"]["json"], "{\"a\":{\"b\":2},\"c\":[]}");
    assert_eq!(replacing("data.flow.a").unwrap()[0]["data"]["flow"], "{\"a\":2,\"on\":\"yes\"}");
    assert!(replacing("data.yaml.a.b").unwrap_err().to_string().contains("is not supported; write that document as JSON"));
}

#[test]
fn sources_must_select_one_resource_with_the_field() {
    assert!(
        refused("- source: {kind: Secret}\n  targets: [{select: {}}]")
            .contains("nothing selected by Secret.[noVer].[noGrp]/[noName].[noNs]")
    );
    assert!(refused("- source: {}\n  targets: [{select: {}}]").contains("multiple matches for selector"));
    assert!(
        refused("- source: {kind: ConfigMap, fieldPath: data.none}\n  targets: [{select: {}}]")
            .contains("fieldPath `data.none` is missing")
    );
    assert!(refused("- source: {kind: ConfigMap}").contains("must specify a source and at least one target"));
    assert!(refused("- {source: {kind: ConfigMap}, targets: [{}]}").contains("target must specify resources to select"));
}
