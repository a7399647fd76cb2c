//! References by name.

use serde_json::{Value, json};

use crate::files::{built, deployment, map};

fn reference(deployment: &Value) -> &Value {
    &deployment["spec"]["template"]["spec"]["containers"][0]["envFrom"][0]["configMapRef"]["name"]
}

#[test]
fn references_follow_new_names_and_others_stay() {
    let kustomization = "resources: [m.yaml, d.yaml, e.yaml]\nnamePrefix: p-";
    let objects = built(&[
        ("kustomization.yaml", kustomization),
        ("m.yaml", &map("m")),
        ("d.yaml", &deployment("d", "m")),
        ("e.yaml", &deployment("e", "elsewhere")),
    ])
    .unwrap();
    assert_eq!((reference(&objects[1]), reference(&objects[2])), (&json!("p-m"), &json!("elsewhere")));
}

#[test]
fn of_several_objects_that_had_a_name_the_one_of_the_same_kustomization_is_meant() {
    let base = |prefix: &str| format!("resources: [../base]\nnamePrefix: {prefix}");
    let objects = built(&[
        ("kustomization.yaml", "resources: [a, b]\nnamePrefix: all-"),
        ("a/kustomization.yaml", &base("a-")),
        ("b/kustomization.yaml", &base("b-")),
        ("base/kustomization.yaml", "resources: [m.yaml, d.yaml]"),
        ("base/m.yaml", &map("m")),
        ("base/d.yaml", &deployment("d", "m")),
    ])
    .unwrap();
    assert_eq!((reference(&objects[2]), reference(&objects[3])), (&json!("all-a-m"), &json!("all-b-m")));
}

#[test]
fn subjects_are_found_by_their_namespace_and_get_the_new_one() {
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}, subjects: [{kind: ServiceAccount, name: s, namespace: two}]}";
    let account =
        |namespace: &str| format!("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: s, namespace: {namespace}}}}}");
    let objects = built(&[
        ("kustomization.yaml", "resources: [b.yaml, one.yaml, two.yaml]\nnameSuffix: -x"),
        ("b.yaml", binding),
        ("one.yaml", &account("one")),
        ("two.yaml", &account("two")),
    ])
    .unwrap();
    assert_eq!(objects[2]["subjects"], json!([{"kind": "ServiceAccount", "name": "s-x", "namespace": "two"}]));
}

#[test]
fn a_role_is_looked_for_by_the_kind_that_the_binding_names() {
    let role = |kind: &str| format!("{{apiVersion: rbac.authorization.k8s.io/v1, kind: {kind}, metadata: {{name: r}}}}");
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}}";
    let objects = built(&[
        ("kustomization.yaml", "resources: [inner, b.yaml]\nnamePrefix: p-"),
        ("inner/kustomization.yaml", "resources: [r.yaml, c.yaml]"),
        ("inner/r.yaml", &role("Role")),
        ("inner/c.yaml", &role("ClusterRole")),
        ("b.yaml", binding),
    ])
    .unwrap();
    assert_eq!(objects[2]["roleRef"]["name"], "p-r");
}

#[test]
fn several_possible_objects_are_an_error() {
    let named = |name: &str| {
        format!(
            "{{target: {{name: {name}}}, options: {{allowNameChange: true}}, patch: '{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x}}}}'}}"
        )
    };
    let rename = |from: &str, to: &str| {
        format!(
            "{{target: {{name: {from}}}, options: {{allowNameChange: true}}, patch: '{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {to}}}}}'}}"
        )
    };
    let kustomization = format!(
        "resources: [a.yaml, b.yaml, d.yaml]\npatches: [{}, {}, {}, {}]",
        named("a"),
        rename("x", "one"),
        named("b"),
        rename("x$|^b", "two")
    );
    let failure = built(&[
        ("kustomization.yaml", &kustomization),
        ("a.yaml", &map("a")),
        ("b.yaml", &map("b")),
        ("d.yaml", &deployment("d", "x")),
    ]);
    assert!(failure.unwrap_err().to_string().contains("found multiple possible referrals for the name \"x\""));
}
