//! Changes of names, namespaces, metadata, images and replicas, and the order of the result.

use serde_json::json;

use crate::files::{built, deployment, map, names};

#[test]
fn prefixes_and_suffixes_nest_from_the_inside() {
    let objects = built(&[
        ("kustomization.yaml", "resources: [base]\nnamePrefix: a-\nnameSuffix: -z"),
        ("base/kustomization.yaml", "resources: [m.yaml]\nnamePrefix: b-\nnameSuffix: -y"),
        ("base/m.yaml", &map("m")),
    ]);
    assert_eq!(names(&objects.unwrap()), ["a-b-m-y-z"]);
}

#[test]
fn labels_reach_selectors_and_templates_only_on_request() {
    let labels = |options: &str| {
        let kustomization = format!("resources: [d.yaml]\nlabels: [{{pairs: {{a: b}}{options}}}]");
        built(&[("kustomization.yaml", &kustomization), ("d.yaml", &deployment("d", "m"))]).unwrap().remove(0)
    };
    let plain = labels("");
    assert_eq!((&plain["metadata"]["labels"], plain["spec"].get("selector")), (&json!({"a": "b"}), None));
    let templates = labels(", includeTemplates: true");
    assert_eq!(templates["spec"]["template"]["metadata"]["labels"], json!({"a": "b"}));
    assert_eq!(templates["spec"].get("selector"), None);
    let selectors = labels(", includeSelectors: true");
    assert_eq!(selectors["spec"]["selector"]["matchLabels"], json!({"a": "b"}));
    let own = labels(", fields: [{path: spec/own, create: true}]");
    assert_eq!(own["spec"]["own"], json!({"a": "b"}));
}

#[test]
fn default_subjects_get_the_namespace() {
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: default}, {kind: ServiceAccount, name: other, namespace: x}]}";
    let objects = built(&[("kustomization.yaml", "resources: [b.yaml]\nnamespace: ns"), ("b.yaml", binding)]).unwrap();
    assert_eq!(objects[0]["metadata"]["namespace"], "ns");
    assert_eq!(objects[0]["subjects"][0]["namespace"], "ns");
    assert_eq!(objects[0]["subjects"][1]["namespace"], "x");
}

#[test]
fn images_are_found_by_name_and_get_tags_digests_and_suffixes() {
    let image = |entry: &str| {
        let kustomization = format!("resources: [d.yaml]\nimages: [{entry}]");
        let objects = built(&[("kustomization.yaml", &kustomization), ("d.yaml", &deployment("d", "m"))]).unwrap();
        objects[0]["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()
    };
    assert_eq!(image("{name: r/i, newTag: '2'}"), "r/i:2");
    assert_eq!(image("{name: r/i, newName: s/j, tagSuffix: -x}"), "s/j:1-x");
    assert_eq!(image("{name: r/i, digest: 'sha256:0'}"), "r/i@sha256:0");
    assert_eq!(image("{name: r/i, newTag: '2', digest: 'sha256:0'}"), "r/i:2@sha256:0");
    assert_eq!(image("{name: r, newTag: '2'}"), "r/i:1");
    assert_eq!(image("{name: '[', newTag: '2'}"), "r/i:1");
}

#[test]
fn replicas_are_set_by_the_original_name() {
    let kustomization = "resources: [d.yaml]\nnamePrefix: p-\nreplicas: [{name: d, count: 3}]";
    let objects = built(&[("kustomization.yaml", kustomization), ("d.yaml", &deployment("d", "m"))]).unwrap();
    assert_eq!(objects[0]["spec"]["replicas"], 3);
}

#[test]
fn the_order_of_kinds_can_be_chosen() {
    let sorted = |options: &str| {
        let kustomization = format!("resources: [d.yaml, m.yaml]\nsortOptions: {options}");
        let objects =
            built(&[("kustomization.yaml", &kustomization), ("d.yaml", &deployment("d", "m")), ("m.yaml", &map("m"))]).unwrap();
        names(&objects).join(" ")
    };
    assert_eq!(sorted("{order: legacy}"), "m d");
    assert_eq!(sorted("{order: fifo}"), "d m");
    assert_eq!(sorted("{order: legacy, legacySortOptions: {orderFirst: [Deployment]}}"), "d m");
}

#[test]
fn annotations_become_texts_and_those_of_builds_are_removed() {
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, annotations: {n: 5, config.kubernetes.io/origin: x}}}";
    let objects = built(&[("kustomization.yaml", "resources: [m.yaml]"), ("m.yaml", object)]).unwrap();
    assert_eq!(objects[0]["metadata"]["annotations"], json!({"n": "5"}));
}

#[test]
fn local_objects_are_left_out_at_the_end() {
    let local =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: l, annotations: {config.kubernetes.io/local-config: 'true'}}}";
    let objects = built(&[("kustomization.yaml", "resources: [l.yaml, m.yaml]"), ("l.yaml", local), ("m.yaml", &map("m"))]);
    assert_eq!(names(&objects.unwrap()), ["m"]);
}

#[test]
fn components_change_the_resources_of_their_kustomization() {
    let component = "kind: Component\nnameSuffix: -c\nresources: [n.yaml]";
    let objects = built(&[
        ("kustomization.yaml", "resources: [m.yaml]\ncomponents: [c]"),
        ("m.yaml", &map("m")),
        ("c/kustomization.yaml", component),
        ("c/n.yaml", &map("n")),
    ]);
    assert_eq!(names(&objects.unwrap()), ["m-c", "n-c"]);
}

#[test]
fn generated_objects_of_a_base_are_merged_and_renamed() {
    let objects = built(&[
        ("kustomization.yaml", "resources: [base]\nconfigMapGenerator: [{name: m, behavior: merge, literals: [b=2]}]"),
        ("base/kustomization.yaml", "resources: [d.yaml]\nconfigMapGenerator: [{name: m, literals: [a=1]}]"),
        ("base/d.yaml", &deployment("d", "m")),
    ])
    .unwrap();
    assert_eq!(objects[0]["data"], json!({"a": "1", "b": "2"}));
    let reference = &objects[1]["spec"]["template"]["spec"]["containers"][0]["envFrom"][0]["configMapRef"]["name"];
    assert_eq!(reference, &objects[0]["metadata"]["name"]);
    assert!(reference.as_str().unwrap().starts_with("m-"));
}
