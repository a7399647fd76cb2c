use super::*;
use crate::kustomization::read::FIELDS;

fn problem(text: &str) -> String {
    read_kustomization(text.as_bytes(), "k.yaml").unwrap_err().to_string()
}

#[test]
fn older_fields_are_those_of_their_successors() {
    let text = "bases: [b]\nresources: [a]\nimageTags: [{name: x}]\nconfigMapGenerator: [{name: m, env: e, envs: [d]}]";
    let read = read_kustomization(text.as_bytes(), "k.yaml").unwrap();
    assert_eq!((read.resources, read.images.len()), (vec!["a".to_owned(), "b".to_owned()], 1));
    assert_eq!(read.config_map_generator[0].envs, ["d", "e"]);
}

#[test]
fn capital_letters_of_fields_do_not_count() {
    let read = read_kustomization(b"nameprefix: p-\nResources: [a]", "k.yaml").unwrap();
    assert_eq!((read.name_prefix.as_str(), read.resources.len()), ("p-", 1));
}

#[test]
fn unknown_fields_are_refused_at_every_depth() {
    assert!(problem("resourcess: [a]").contains("unknown field \"resourcess\""));
    assert!(problem("patches: [{pathh: a}]").contains("unknown field \"pathh\""));
}

#[test]
fn values_of_a_wrong_type_are_named_with_their_field() {
    assert_eq!(
        problem("namePrefix: p-\nreplicas: [{name: d, count: many}]"),
        "k.yaml: replicas: invalid Kustomization: invalid type: string \"many\", expected i64"
    );
}

#[test]
fn the_list_of_fields_is_that_of_the_type() {
    let error = KustomizationFields::deserialize(&serde_json::json!({"none": 1})).unwrap_err().to_string();
    let (_, expected) = error.split_once("expected one of ").unwrap();
    assert_eq!(expected.split('`').skip(1).step_by(2).collect::<Vec<_>>(), FIELDS);
}

#[test]
fn fields_that_are_not_supported_are_named_with_the_remedy() {
    assert_eq!(problem("vars: [{name: a}]"), "k.yaml: vars: the field is not supported; use replacements instead");
    for field in ["helmCharts", "generators", "validators", "crds", "helmGlobals"] {
        assert!(
            problem(&format!("{field}: [a]")).starts_with(&format!("k.yaml: {field}: the field is not supported")),
            "{field}"
        );
    }
}

#[test]
fn kind_and_version_are_checked() {
    assert!(problem("kind: Other\nresources: [a]").contains("kind should be Kustomization or Component"));
    assert!(problem("kind: Component\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: [a]").contains("v1alpha1"));
    assert!(problem("kind: Kustomization").contains("is empty"));
    assert!(problem("").contains("is empty"));
}

#[test]
fn keys_of_labels_and_annotations_must_be_texts() {
    for key in ["n", "true", "\"5\"", "no"] {
        assert!(problem(&format!("commonAnnotations: {{{key}: x}}")).contains("json: unsupported type"), "{key}");
    }
    read_kustomization(b"commonAnnotations: {'n': x, 'yes': x, a.b/c: x}", "k.yaml").unwrap();
}
