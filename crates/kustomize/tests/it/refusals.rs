//! Kustomizations that are refused: what is not supported, what is wrong, and what exceeds the limits.

use std::fmt::Write as _;

use kubewright_kustomize::{BuildLimits, build_within};

use crate::files::{built, deployment, failure, map, tree};

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
    assert_eq!(text, "a: Found multiple kustomization files: \"a/kustomization.yaml\" and \"a/Kustomization\"; keep one of them");
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
fn an_error_has_its_file_its_field_and_its_message() {
    let error = built(&[("kustomization.yaml", "vars: [{name: a}]")]).unwrap_err();
    let message = "the field is not supported; use replacements instead";
    assert_eq!((error.file(), error.field(), error.message()), ("kustomization.yaml", Some("vars"), message));
    let error = built(&[("kustomization.yaml", "a: [")]).unwrap_err();
    assert_eq!((error.file(), error.field()), ("kustomization.yaml", None));
}

#[test]
fn errors_of_changes_name_the_entry_the_object_and_the_field() {
    let text =
        |entries: &str| failure(&[("kustomization.yaml", &format!("resources: [m.yaml]\n{entries}")), ("m.yaml", &map("m"))]);
    assert_eq!(
        text("labels: [{pairs: {a: b}, fields: [{path: data/k}]}]"),
        "kustomization.yaml: labels[0]: ConfigMap.v1.[noGrp]/m.[noNs]: considering field 'data/k': expected a map, found string"
    );
    assert_eq!(
        text("patches: [{target: {name: m}, patch: '[{op: replace, path: \"\", value: [1]}]'}]"),
        "kustomization.yaml: patches[0]: ConfigMap.v1.[noGrp]/m.[noNs]: the JSON patch makes the object a value of type array; keep its root an object"
    );
    assert!(
        text("replicas: [{name: absent, count: 1}]")
            .starts_with("kustomization.yaml: replicas[0]: resource with name absent does not match")
    );
}

#[test]
fn depth_and_numbers_are_limited() {
    let chain: Vec<(String, String)> =
        (0..60).map(|level| (format!("{}kustomization.yaml", "a/".repeat(level)), "resources: [a]".to_owned())).collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert!(failure(&chain).contains("more than 50 kustomizations refer to the next; raise BuildLimits::depth"));
    let files = tree(&[("kustomization.yaml", "resources: [a.yaml, b.yaml]"), ("a.yaml", &map("a")), ("b.yaml", &map("b"))]);
    let limits = BuildLimits { objects: 1, ..BuildLimits::default() };
    assert_eq!(
        build_within(&files, "", limits).unwrap_err().to_string(),
        "kustomization.yaml: more than 1 objects; raise BuildLimits::objects"
    );
    let limits = BuildLimits { bytes: 100, ..BuildLimits::default() };
    assert_eq!(
        build_within(&files, "", limits).unwrap_err().to_string(),
        "kustomization.yaml: resources: the objects are larger than 100 bytes in total; raise BuildLimits::bytes"
    );
}

#[test]
fn kustomizations_that_refer_to_each_other_are_refused() {
    let text = failure(&[
        ("kustomization.yaml", "resources: [a]"),
        ("a/kustomization.yaml", "resources: [../b]"),
        ("b/kustomization.yaml", "components: [../a]"),
    ]);
    assert_eq!(text, "b/kustomization.yaml: components: cycle detected: candidate root 'a' contains visited root 'a'");
    let text = failure(&[("kustomization.yaml", "resources: [.]")]);
    assert_eq!(text, "kustomization.yaml: resources: cycle detected: candidate root '' contains visited root ''");
}

#[test]
fn aliases_that_multiply_are_refused_with_the_file() {
    let mut bomb = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(bomb, "a{level}: &a{level} [{inner}]");
    }
    let text = failure(&[("kustomization.yaml", "resources: [m.yaml]"), ("m.yaml", &bomb)]);
    assert!(text.starts_with("m.yaml: read YAML: document contains excessive aliasing at line "), "{text}");
    let text = failure(&[("kustomization.yaml", &bomb)]);
    assert!(text.starts_with("kustomization.yaml: read YAML: document contains excessive aliasing at line "), "{text}");
}

#[test]
fn files_that_are_generated_many_times_end_at_the_limit_of_an_object() {
    let keys: Vec<String> = (0..20).map(|key| format!("k{key}=big")).collect();
    let kustomization = format!("configMapGenerator: [{{name: m, files: [{}]}}]", keys.join(", "));
    let text = failure(&[("kustomization.yaml", &kustomization), ("big", &"x".repeat(1 << 20))]);
    assert_eq!(
        text,
        "kustomization.yaml: configMapGenerator: m: the files are larger than 16777216 bytes in total at \"big\"; generate several objects"
    );
}

#[test]
fn replicas_are_a_number_of_64_bits_and_cost_nothing() {
    let scaled = |count: &str| {
        let kustomization = format!("resources: [d.yaml]\nreplicas: [{{name: d, count: {count}}}]");
        built(&[("kustomization.yaml", &kustomization), ("d.yaml", &deployment("d", "m"))])
    };
    assert_eq!(scaled("9223372036854775807").unwrap()[0]["spec"]["replicas"], i64::MAX);
    let error = scaled("9223372036854775808").unwrap_err();
    assert!(error.to_string().contains("integer `9223372036854775808`, expected i64"), "{error}");
}

#[test]
fn a_doubling_chain_of_kustomizations_ends_at_the_limit() {
    let files: Vec<(String, String)> = (0..20)
        .map(|level| (format!("k{level}/kustomization.yaml"), format!("resources: [../l{0}, ../r{0}]", level + 1)))
        .chain((1..=20).flat_map(|level| {
            ["l", "r"].map(|side| {
                (format!("{side}{level}/kustomization.yaml"), format!("nameSuffix: -{side}\nresources: [../k{level}]"))
            })
        }))
        .chain([("k20/kustomization.yaml".to_owned(), "resources: [m.yaml]".to_owned()), ("k20/m.yaml".to_owned(), map("m"))])
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let error = kubewright_kustomize::build(&tree(&files), "k0").unwrap_err();
    assert_eq!(error.message(), "more than 1000 kustomizations are built; raise BuildLimits::kustomizations");
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

#[test]
fn changes_that_multiply_a_text_by_the_objects_end_at_the_limit() {
    let maps: Vec<String> = (0..300).map(|number| map(&format!("m{number}"))).collect();
    let text = "x".repeat(100 << 10);
    let limits = BuildLimits { bytes: 8 << 20, ..BuildLimits::default() };
    let failure = |files: &[(&str, &str)]| build_within(&tree(files), "", limits).unwrap_err().to_string();
    let strategic =
        format!("{{target: {{kind: ConfigMap}}, patch: '{{kind: ConfigMap, metadata: {{name: x}}, data: {{a: {text}}}}}'}}");
    let json = |path: &str, value: &str| {
        format!("{{target: {{kind: ConfigMap}}, patch: '[{{op: add, path: {path}, value: {value}}}]'}}")
    };
    let copies = "{target: {kind: ConfigMap}, patch: '[{op: copy, from: /data/a, path: /data/b}]'}";
    for change in [
        format!("commonAnnotations: {{a: {text}}}"),
        format!("labels: [{{pairs: {{a: {text}}}}}]"),
        format!("patches: [{strategic}]"),
        format!("patches: [{}]", json("/data/a", &text)),
        format!("patches: [{}, {copies}]", json("/data/a", &text[..20_000])),
        format!("replacements: [{{sourceValue: {text}, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.k]}}]}}]"),
    ] {
        let kustomization = format!("resources: [m.yaml]\n{change}");
        let text = failure(&[("kustomization.yaml", &kustomization), ("m.yaml", &maps.join("\n---\n"))]);
        let start: String = change.chars().take(20).collect();
        assert!(text.ends_with("larger than 8388608 bytes in total; raise BuildLimits::bytes"), "{start}: {text:.200}");
    }
    let pods: Vec<String> = (0..300).map(|number| deployment(&format!("d{number}"), "m")).collect();
    let kustomization = format!("resources: [d.yaml]\nimages: [{{name: r/i, newName: {text}}}]");
    let text = failure(&[("kustomization.yaml", &kustomization), ("d.yaml", &pods.join("\n---\n"))]);
    assert!(text.ends_with("raise BuildLimits::bytes"), "{text:.200}");
}

#[test]
fn names_are_limited() {
    let long = "x".repeat(5000);
    let fields = [("namePrefix", "prefix"), ("nameSuffix", "suffix"), ("namespace", "namespace")];
    for (field, title) in fields {
        let kustomization = format!("resources: [m.yaml]\n{field}: {long}");
        let text = failure(&[("kustomization.yaml", &kustomization), ("m.yaml", &map("m"))]);
        assert_eq!(text, format!("kustomization.yaml: {field}: the {title} is 5000 bytes long, more than the allowed 4096"));
    }
    let text = failure(&[("kustomization.yaml", "resources: [m.yaml]"), ("m.yaml", &map(&long))]);
    assert_eq!(text, "kustomization.yaml: the name of a ConfigMap is 5000 bytes long, more than the allowed 4096");
}

#[test]
fn deep_nesting_is_refused_with_the_file() {
    let deep =
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata: {}{}\n", "[".repeat(5000), "]".repeat(5000));
    let text = failure(&[("kustomization.yaml", "resources: [m.yaml]"), ("m.yaml", &deep)]);
    assert!(text.starts_with("m.yaml: read YAML: "), "{text:.200}");
    let text = failure(&[("kustomization.yaml", &deep)]);
    assert!(text.starts_with("kustomization.yaml: read YAML: "), "{text:.200}");
}
