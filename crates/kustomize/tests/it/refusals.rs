//! Kustomizations that are refused: what is not supported, what is wrong, and what exceeds the limits.

use kubewright_kustomize::{BuildLimits, build_within};

use crate::files::{failure, map, tree};

#[test]
fn remote_resources_are_named() {
    for reference in ["https://example.com/a.yaml", "github.com/a/b?ref=v1"] {
        let text = failure(&[("kustomization.yaml", &format!("resources: ['{reference}']"))]);
        assert_eq!(
            text,
            format!(
                "kustomization.yaml: resources: {reference:?} is remote, which is not supported; put the files into the tree"
            )
        );
    }
}

#[test]
fn plugins_are_named() {
    let transformer = "apiVersion: example.com/v1\n  kind: Plugin\n  metadata: {name: p}";
    let text = failure(&[("kustomization.yaml", &format!("transformers:\n- |\n  {transformer}"))]);
    assert!(
        text.starts_with("kustomization.yaml: transformers: the transformer example.com/v1/Plugin is not supported"),
        "{text}"
    );
}

#[test]
fn paths_stay_inside_of_the_tree() {
    assert!(failure(&[("kustomization.yaml", "resources: [../outside.yaml]")]).contains("leaves the tree of files"));
    assert!(failure(&[("kustomization.yaml", "configMapGenerator: [{name: m, files: [/etc/passwd]}]")]).contains("is absolute"));
}

#[test]
fn components_and_kustomizations_are_told_apart() {
    let other = |field: &str, kind: &str| {
        failure(&[
            ("kustomization.yaml", &format!("{field}: [a]")),
            ("a/kustomization.yaml", &format!("kind: {kind}\nnamePrefix: p-")),
        ])
    };
    assert!(other("resources", "Component").contains("expected kind != 'Component'"));
    assert!(other("components", "Kustomization").contains("expected kind 'Component'"));
}

#[test]
fn a_directory_has_one_kustomization_file() {
    let text = failure(&[
        ("kustomization.yaml", "resources: [a]"),
        ("a/kustomization.yaml", "namePrefix: a"),
        ("a/Kustomization", "namePrefix: b"),
    ]);
    assert_eq!(text, "a: Found multiple kustomization files");
}

#[test]
fn problems_in_a_file_are_reported_with_it() {
    let text = failure(&[
        ("kustomization.yaml", "resources: [a]"),
        ("a/kustomization.yaml", "resources: [m.yaml]"),
        ("a/m.yaml", "kind: ["),
    ]);
    assert!(text.starts_with("a/m.yaml: read YAML: "), "{text}");
}

#[test]
fn depth_and_numbers_are_limited() {
    let chain: Vec<(String, String)> =
        (0..60).map(|level| (format!("{}kustomization.yaml", "a/".repeat(level)), "resources: [a]".to_owned())).collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert!(failure(&chain).contains("more than 50 nested ones"));
    let files = tree(&[("kustomization.yaml", "resources: [a.yaml, b.yaml]"), ("a.yaml", &map("a")), ("b.yaml", &map("b"))]);
    let limits = BuildLimits { objects: 1, ..BuildLimits::default() };
    assert_eq!(
        build_within(&files, "", limits).unwrap_err().to_string(),
        "kustomization.yaml: more than 1 objects; the limit can be raised"
    );
}

#[test]
fn a_doubling_chain_of_kustomizations_ends_at_the_limit() {
    let files: Vec<(String, String)> = (0..20)
        .map(|level| (format!("k{level}/kustomization.yaml"), format!("resources: [../l{0}, ../r{0}]", level + 1)))
        .chain((1..20).flat_map(|level| {
            ["l", "r"].map(|side| {
                (format!("{side}{level}/kustomization.yaml"), format!("nameSuffix: -{side}\nresources: [../k{level}]"))
            })
        }))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let error = kubewright_kustomize::build(&tree(&files), "k0").unwrap_err();
    assert!(!error.message().is_empty());
}

#[test]
fn replacements_that_double_an_object_end_at_its_limit() {
    let object = format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m}}, data: {{k: {}}}}}", "x".repeat(2000));
    let double = "- source: {kind: ConfigMap, fieldPath: data.k}\n  targets: [{select: {}, fieldPaths: [data.k], options: {delimiter: '-', index: 100000}}]\n";
    let text = failure(&[
        ("kustomization.yaml", &format!("resources: [m.yaml]\nreplacements:\n{}", double.repeat(40))),
        ("m.yaml", &object),
    ]);
    assert!(text.contains("the object would be larger than"), "{text}");
    let nested = "- source: {kind: ConfigMap, fieldPath: data}\n  targets: [{select: {}, fieldPaths: [data.a.b.c.d.e.f.g.h], options: {create: true}}]\n";
    let text = failure(&[
        ("kustomization.yaml", &format!("resources: [m.yaml]\nreplacements:\n{}", nested.repeat(400))),
        ("m.yaml", &map("m")),
    ]);
    assert!(text.contains("the object would be"), "{text}");
}

#[test]
fn paths_of_many_steps_are_refused() {
    let path = vec!["a"; 5000].join(".");
    let kustomization = format!(
        "resources: [m.yaml]\nreplacements: [{{sourceValue: x, targets: [{{select: {{}}, fieldPaths: [{path}], options: {{create: true}}}}]}}]"
    );
    assert!(failure(&[("kustomization.yaml", &kustomization), ("m.yaml", &map("m"))]).contains("more than the allowed 100"));
    let kustomization = format!(
        "resources: [m.yaml]\nlabels: [{{pairs: {{a: b}}, fields: [{{path: {}, create: true}}]}}]",
        path.replace('.', "/")
    );
    assert!(failure(&[("kustomization.yaml", &kustomization), ("m.yaml", &map("m"))]).contains("more than the allowed 100"));
}
