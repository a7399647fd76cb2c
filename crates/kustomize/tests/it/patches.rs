//! Patches: their targets, forms and options.

use serde_json::json;

use crate::files::{built, deployment, failure, map, names};

fn patched(patches: &str) -> Vec<serde_json::Value> {
    let kustomization = format!("resources: [m.yaml, n.yaml]\npatches:\n{patches}");
    built(&[("kustomization.yaml", &kustomization), ("m.yaml", &map("m")), ("n.yaml", &map("n"))]).unwrap()
}

#[test]
fn a_patch_without_target_changes_the_object_of_its_identity() {
    let objects = patched("- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: n}, data: {x: \"1\"}}'");
    assert_eq!((&objects[0]["data"], &objects[1]["data"]), (&json!({"k": "v"}), &json!({"k": "v", "x": "1"})));
}

#[test]
fn a_target_selects_by_regular_expressions() {
    let objects =
        patched("- {target: {name: 'm|x.*'}, patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: any}, data: {x: y}}'}");
    assert_eq!(objects[0]["data"], json!({"k": "v", "x": "y"}));
    assert_eq!(names(&objects), ["m", "n"]);
}

#[test]
fn json_patches_are_written_as_yaml_or_json() {
    let objects = patched(
        "- {target: {name: m}, patch: '[{\"op\": \"add\", \"path\": \"/data/a\", \"value\": \"1\"}]'}\n- target: {name: 'n'}\n  patch: |-\n    - op: remove\n      path: /data/k",
    );
    assert_eq!((&objects[0]["data"], &objects[1]["data"]), (&json!({"k": "v", "a": "1"}), &json!({})));
}

#[test]
fn a_block_text_at_the_end_of_a_patch_has_no_more_line_break_than_the_patch() {
    let objects = patched(
        "- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: m}\n    data:\n      script: |\n        one\n        two\n",
    );
    assert_eq!(objects[0]["data"]["script"], "one\ntwo");
}

#[test]
fn names_and_kinds_change_only_if_the_options_allow_it() {
    let patch = "patch: '{apiVersion: v1, kind: Secret, metadata: {name: other}}'";
    let kept = patched(&format!("- {{target: {{name: m}}, {patch}}}"));
    assert_eq!((&kept[0]["kind"], &kept[0]["metadata"]["name"]), (&json!("ConfigMap"), &json!("m")));
    let changed =
        patched(&format!("- {{target: {{name: m}}, options: {{allowNameChange: true, allowKindChange: true}}, {patch}}}"));
    assert_eq!((&changed[1]["kind"], &changed[1]["metadata"]["name"]), (&json!("Secret"), &json!("other")));
}

#[test]
fn references_follow_a_name_that_a_patch_changes() {
    let kustomization = "resources: [m.yaml, d.yaml]\npatches: [{target: {name: m}, options: {allowNameChange: true}, patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: new}}'}]";
    let objects =
        built(&[("kustomization.yaml", kustomization), ("m.yaml", &map("m")), ("d.yaml", &deployment("d", "m"))]).unwrap();
    assert_eq!(objects[1]["spec"]["template"]["spec"]["containers"][0]["envFrom"][0]["configMapRef"]["name"], "new");
}

#[test]
fn patches_that_cannot_be_applied_name_the_entry_or_the_object() {
    let with =
        |patches: &str| failure(&[("kustomization.yaml", &format!("resources: [m.yaml]\n{patches}")), ("m.yaml", &map("m"))]);
    assert!(with("patches: [{}]").contains("patches[0]: must specify one of patch and path"));
    assert!(with("patches: [{path: a, patch: b}]").contains("can't be set at the same time"));
    assert!(with("patches: [{path: missing.yaml}]").contains("\"missing.yaml\" does not exist"));
    assert!(with("patches: [{patch: '[{op: remove, path: /a}]'}]").contains("must specify a target for JSON patch"));
    assert!(with("patches: [{patch: 'no patch'}]").contains("unable to parse SM or JSON patch"));
    assert!(with("patches: [{target: {name: '('}, patch: '[]'}]").contains("is not a regular expression"));
    let absent = with("patches: [{patch: '{apiVersion: v1, kind: Secret, metadata: {name: m}}'}]");
    assert!(absent.contains("no resource matches strategic merge patch \"Secret.v1.[noGrp]/m.[noNs]\""), "{absent}");
    let test = with("patches: [{target: {kind: ConfigMap}, patch: '[{op: test, path: /data/k, value: x}]'}]");
    assert!(test.contains("ConfigMap.v1.[noGrp]/m.[noNs]: testing value /data/k failed"), "{test}");
}
