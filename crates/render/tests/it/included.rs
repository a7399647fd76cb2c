//! Included files and kustomizations (KUS-5).

use kubewright_render::{GoValue, Kustomization, Parameter, Signature};
use serde_json::json;

use crate::rendering::{config_map, failure, fault, kustomization_at, map, names, objects, texts, written};

// KUS-5
#[tokio::test]
async fn included_files_are_for_the_functions_of_files_only() {
    let a =
        config_map("a", "{{ readFile \"../shared/motd\" }}{{ listFiles \"../shared/*\" }}{{ existsFile \"../shared/other\" }}");
    let files = [("k/a.yaml", a.as_str()), ("shared/motd", "hi {{"), ("shared/other", ""), ("shared/b.yaml", "x: [")];
    let kustomization = kustomization_at(&files, "k").included_files(["../shared/motd", "../shared/b.yaml"]);
    let found = objects(&kustomization, json!({})).await;
    assert_eq!(names(&found), ["a"]);
    assert_eq!(texts(&found)["a"], "hi {{[../shared/b.yaml ../shared/motd]false");
}

// KUS-5
#[tokio::test]
async fn an_included_kustomization_is_rendered_to_the_same_place_with_a_configuration_of_its_own() {
    let files = [
        ("over/kustomization.yaml", "resources: [../base]\nnameSuffix: '-{{ .x }}'\n"),
        ("base/.component-config.yaml", "templateSuffix: .tpl\nvalues: {y: own}\n"),
        ("base/a.yaml.tpl", &config_map("a", "{{ .x }} {{ .y }} {{ componentRevision }}")),
        ("base/b.yaml", &config_map("b", "'{{ .x }}'")),
    ];
    let kustomization =
        kustomization_at(&files, "over").included_kustomizations(["../base"]).values(map(json!({ "y": "of the overlay" })));
    let found = objects(&kustomization, json!({ "x": "v" })).await;
    assert_eq!(names(&found), ["a-v", "b-v"]);
    assert_eq!(texts(&found)["a-v"], "v own 7");
    assert_eq!(texts(&found)["b-v"], "{{ .x }}");
}

// KUS-5
#[tokio::test]
async fn the_decryptor_is_inherited_and_the_options_of_templates_are_not() {
    let files = [
        ("over/kustomization.yaml.tpl", "resources: [../base]\n"),
        ("base/a.yaml", &config_map("a", "ENC '{{ .y }}' {{ twice 2 }}")),
    ];
    let kustomization = kustomization_at(&files, "over")
        .template_suffix(".tpl")
        .delimiters("<<", ">>")
        .values(map(json!({ "y": 1 })))
        .included_kustomizations(["../base"])
        .function("twice", Signature::of(&[Parameter::Int]), |call| Ok(GoValue::int(call.int(0) * 2)))
        .decryptor(|content, path| {
            let text = String::from_utf8_lossy(content).replace("ENC", &format!("decrypted {path}"));
            Ok::<_, String>(text.into_bytes())
        });
    assert_eq!(texts(&objects(&kustomization, json!({})).await)["a"], "decrypted a.yaml '' 4");
}

// KUS-5
#[tokio::test]
async fn included_kustomizations_include_others_and_two_ways_to_one_are_fine() {
    let config = "includedKustomizations: [../d]\n";
    let files = [
        ("a/.component-config.yaml", "includedKustomizations: [../b, ../c]\n"),
        ("a/kustomization.yaml", "resources: [../b, ../c]\n"),
        ("b/.component-config.yaml", config),
        ("b/kustomization.yaml", "resources: [../d]\nnamePrefix: b-\n"),
        ("c/.component-config.yaml", config),
        ("c/kustomization.yaml", "resources: [../d]\nnamePrefix: c-\n"),
        ("d/x.yaml", &config_map("x", "t")),
    ];
    assert_eq!(names(&objects(&kustomization_at(&files, "a"), json!({})).await), ["b-x", "c-x"]);
}

// KUS-5
#[tokio::test]
async fn directories_on_the_disk_include_their_neighbours() {
    let base = config_map("a", "{{ .x }}");
    let files = [("deep/over/kustomization.yaml", "resources: [../../base]\n"), ("base/a.yaml", base.as_str())];
    let root = written("neighbours", &files);
    let kustomization = Kustomization::directory(root.join("deep/over")).included_kustomizations(["../../base"]);
    assert_eq!(texts(&objects(&kustomization, json!({ "x": "v" })).await)["a"], "v");
    // Without the inclusion there is no such directory, whatever is on the disk.
    let error = failure(&Kustomization::directory(root.join("deep/over"))).await;
    assert!(error.starts_with("kustomization.yaml: resources: "), "{error}");
}

// KUS-5
#[test]
fn absolute_paths_paths_inside_and_overlaps_are_errors() {
    let files = [("a/k/x.yaml", ""), ("a/k/sub/y.yaml", ""), ("b/z.yaml", ""), ("b/sub/z.yaml", "")];
    let included = |paths: &[&str]| fault(&kustomization_at(&files, "a/k").included_kustomizations(paths.iter().copied()));
    assert_eq!(included(&["/b"]), "a/k: the included path \"/b\" is absolute; it must be relative to the directory");
    for inside in ["sub", ".", "../k/sub", "../k"] {
        assert!(included(&[inside]).contains("lies inside of the directory"), "{inside}");
    }
    assert!(included(&["../../../b"]).contains("leaves the tree of files"));
    assert!(included(&["../../b", "./../../b/"]).contains("is listed twice"));
    assert!(included(&["../../c"]).contains("the directory does not exist"));
    assert_eq!(
        included(&[".."]),
        "a/k: the included kustomization \"a\" overlaps with the kustomization \"a/k\"; move one of them"
    );
    assert!(included(&["../../b", "../../b/sub"]).contains("overlaps with the kustomization"));
    let file = |path: &str| fault(&kustomization_at(&files, "a/k").included_files([path]));
    assert!(file("/etc/passwd").contains("is absolute"));
    assert!(file("x.yaml").contains("lies inside"));
    assert!(file("../../b").contains("the file does not exist, or is none"));
    assert!(file("../../../etc/passwd").contains("leaves the tree of files"));
}

// KUS-5
#[test]
fn a_cycle_of_included_kustomizations_is_an_error_that_names_it() {
    let files = [
        ("a/.component-config.yaml", "includedKustomizations: [../b]\n"),
        ("b/.component-config.yaml", "includedKustomizations: [../c]\n"),
        ("c/.component-config.yaml", "includedKustomizations: [../b]\n"),
    ];
    assert_eq!(
        fault(&kustomization_at(&files, "a")),
        "c: the included kustomizations are a cycle: \"b\" includes \"c\" includes \"b\"; remove one of them"
    );
    let files = [("a/x", ""), ("b/.component-config.yaml", "includedKustomizations: [../a]\n")];
    let error = fault(&kustomization_at(&files, "a").included_kustomizations(["../b"]));
    assert!(error.starts_with("b: the included kustomizations are a cycle: \"a\" includes \"b\" includes \"a\""), "{error}");
}
