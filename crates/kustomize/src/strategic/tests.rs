use kubewright_machinery::yaml;
use serde_json::{Value, json};

use super::*;

fn document(text: &str) -> Value {
    yaml::documents_of_yaml_1_2(text).unwrap().remove(0)
}

fn deployment(spec: &str) -> Value {
    document(&format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{template: {{spec: {spec}}}}}}}"))
}

fn merged(spec: &str, patch: &str) -> Value {
    let merged = merge(deployment(spec), deployment(patch), &MergeSchemas::default()).unwrap().unwrap();
    merged["spec"]["template"]["spec"].clone()
}

#[test]
fn patched_items_come_first() {
    let merged = merged(
        "{containers: [{name: a, image: x}, {name: b, image: y}]}",
        "{containers: [{name: c, image: z}, {name: b, args: [q]}]}",
    );
    let expected = json!({"containers": [
        {"name": "c", "image": "z"}, {"name": "b", "image": "y", "args": ["q"]}, {"name": "a", "image": "x"},
    ]});
    assert_eq!(merged, expected);
}

#[test]
fn items_of_several_keys_move_behind_new_ones() {
    let ports = |ports: &str| format!("{{containers: [{{name: a, ports: {ports}}}]}}");
    let merged = merged(
        &ports(
            "[{containerPort: 1, protocol: UDP}, {containerPort: 2, protocol: TCP}, {containerPort: 3, protocol: TCP, name: z}]",
        ),
        &ports("[{containerPort: 2, protocol: TCP, name: q}, {containerPort: 4, protocol: TCP}]"),
    );
    let numbers: Vec<&Value> =
        merged["containers"][0]["ports"].as_array().unwrap().iter().map(|port| &port["containerPort"]).collect();
    assert_eq!(numbers, [4, 1, 2, 3]);
    assert_eq!(merged["containers"][0]["ports"][2]["name"], "q");
}

#[test]
fn items_that_lack_a_key_are_kept_once() {
    let live = "{containers: [{name: a, ports: [{containerPort: 1}, {containerPort: 2, protocol: UDP}, {containerPort: 3}]}]}";
    let merged = merged(live, "{hostNetwork: true}");
    let ports = json!([{"containerPort": 1}, {"containerPort": 2, "protocol": "UDP"}, {"containerPort": 3}]);
    assert_eq!(merged["containers"][0]["ports"], ports);
}

#[test]
fn items_and_maps_are_deleted_and_lists_and_maps_replaced() {
    let live = "{a: {x: 1}, b: {x: 1}, containers: [{name: a, env: [{name: E, value: v}]}, {name: b}]}";
    let patch = "{a: {$patch: delete}, b: {$patch: replace, y: 2}, containers: [{name: b, $patch: delete}, {name: a, env: [{$patch: replace}, {name: F}]}]}";
    assert_eq!(merged(live, patch), json!({"b": {"y": 2}, "containers": [{"name": "a", "env": [{"name": "F"}]}]}));
}

#[test]
fn replacing_one_item_has_no_effect() {
    assert_eq!(
        merged("{containers: [{name: a, args: [x]}]}", "{containers: [{name: a, $patch: replace, image: z}]}")["containers"],
        json!([{"name": "a", "args": ["x"]}])
    );
}

#[test]
fn nulls_remove_and_new_maps_have_none() {
    assert_eq!(
        merged("{a: 1, n: null}", "{a: null, new: {b: null, c: {$patch: delete}, d: [null]}}"),
        json!({"n": null, "new": {"d": [null]}})
    );
}

#[test]
fn lists_of_scalars_are_united_and_others_replaced() {
    let with = |finalizers: &str| document(&format!("{{apiVersion: v1, kind: Pod, metadata: {{finalizers: {finalizers}}}}}"));
    let merged_pod = merge(with("[a, b]"), with("[c, a]"), &MergeSchemas::default()).unwrap().unwrap();
    assert_eq!(merged_pod["metadata"]["finalizers"], json!(["c", "a", "b"]));
    assert_eq!(merged("{tolerations: [{key: x}]}", "{tolerations: [{key: y}]}"), json!({"tolerations": [{"key": "y"}]}));
}

#[test]
fn a_whole_object_is_deleted() {
    let patch = json!({"$patch": "delete", "apiVersion": "v1", "kind": "Pod"});
    assert_eq!(merge(json!({"apiVersion": "v1", "kind": "Pod"}), patch, &MergeSchemas::default()).unwrap(), None);
}

#[test]
fn mismatched_types_and_unknown_directives_are_named_with_their_field() {
    let problem = |patch: &str| merge(deployment("{a: {b: 1}}"), deployment(patch), &MergeSchemas::default()).unwrap_err().0;
    assert_eq!(problem("{a: {b: [1]}}"), ".spec.template.spec.a.b: the patch has array where the object has number");
    assert!(problem("{a: {$patch: drop}}").starts_with(".spec.template.spec.a: unknown patch strategy"));
}

#[test]
fn an_own_schema_replaces_that_of_the_built_in_kinds() {
    let schema = json!({"definitions": {
        "Part": {"type": "object", "properties": {}},
        "W": {
            "properties": {"parts": {"items": {"$ref": "#/definitions/Part"}, "x-kubernetes-patch-merge-key": "id", "x-kubernetes-patch-strategy": "merge"}},
            "x-kubernetes-group-version-kind": [{"group": "e.com", "version": "v1", "kind": "W"}],
        },
    }});
    let schemas = MergeSchemas::read(&schema.to_string(), false).unwrap();
    let with = |parts: Value| json!({"apiVersion": "e.com/v1", "kind": "W", "parts": parts});
    let merged = merge(with(json!([{"id": 1, "v": 1}])), with(json!([{"id": 2}])), &schemas).unwrap().unwrap();
    assert_eq!(merged["parts"], json!([{"id": 2}, {"id": 1, "v": 1}]));
    assert!(MergeSchemas::read("{}", false).is_err());
}
