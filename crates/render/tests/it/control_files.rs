//! `.component-config.yaml` and `.component-ignore` (KUS-2, KUS-3).

use serde_json::json;

use crate::rendering::{config_map, failure, fault, kustomization, map, names, objects, texts};

// KUS-2
#[tokio::test]
async fn the_configuration_file_wins_over_the_options_field_by_field() {
    let config = "templateSuffix: .tpl\nleftTemplateDelimiter: '<<'\nvalues: {x: from the file}\n";
    let files = [(".component-config.yaml", config), ("a.yaml.tpl", &config_map("a", "<< .x >> {{ .x }}"))];
    let kustomization = kustomization(&files)
        .template_suffix(".other")
        .delimiters("[[", ">>")
        .values(map(json!({ "x": "from the options", "y": 1 })));
    let found = objects(&kustomization, json!({})).await;
    assert_eq!(texts(&found)["a"], "from the file {{ .x }}", "the right mark is that of the options");
}

// KUS-2
#[tokio::test]
async fn the_configuration_file_may_be_json_or_empty() {
    let a = config_map("a", "'{{ .x }}'");
    for (config, expected) in [(r#"{"values": {"x": "j"}}"#, "j"), ("", ""), ("# nothing\n", "")] {
        let files = [(".component-config.yaml", config), ("a.yaml", a.as_str())];
        assert_eq!(texts(&objects(&kustomization(&files), json!({})).await)["a"], expected, "{config:?}");
    }
}

// KUS-2
#[test]
fn unknown_keys_and_wrong_types_are_errors() {
    let error = |config: &str| fault(&kustomization(&[(".component-config.yaml", config)]));
    assert!(error("suffix: x\n").starts_with(".component-config.yaml: unknown field `suffix`, expected one of `templateSuffix`"));
    assert_eq!(
        error("values: [secret]\n"),
        ".component-config.yaml: invalid type: sequence, expected a map",
        "the message shows no value"
    );
    assert!(error("includedFiles: x\n").starts_with(".component-config.yaml: invalid type: string"));
    assert!(error("a: [1\n").starts_with(".component-config.yaml:"));
    assert!(error("a: 1\n---\nb: 1\n").ends_with("the file has 2 documents; it must be one"));
}

// KUS-2
#[tokio::test]
async fn control_files_are_read_before_decryption_and_never_rendered() {
    let files = [
        (".component-config.yaml", "templateSuffix: .tpl\n"),
        (".component-ignore", "b.yaml\n"),
        ("a.yaml", &config_map("a", "'{{ .x }}'")),
        ("b.yaml", "a: ["),
        ("list.yaml.tpl", &config_map("list", "{{ listFiles \".*\" | join \",\" }}")),
    ];
    let kustomization = kustomization(&files).decryptor(|content, path| {
        assert!(!path.starts_with(".component"), "{path} is decrypted");
        Ok::<_, String>(content.to_vec())
    });
    let found = objects(&kustomization, json!({})).await;
    assert_eq!(texts(&found)["a"], "{{ .x }}");
    assert_eq!(texts(&found)["list"], ".component-config.yaml,.component-ignore", "they are files like others to read");
}

// KUS-3
#[tokio::test]
async fn ignored_files_are_neither_rendered_nor_copied_but_can_be_read() {
    let a = config_map("a", "read {{ readFile \"docs/notes.txt\" | trim }} {{ existsFile \"docs/b.yaml\" }}");
    let files = [
        (".component-ignore", "# documentation\ndocs/\n*.bak.yaml\n!keep.bak.yaml\n"),
        ("a.yaml", a.as_str()),
        ("c.bak.yaml", "{{ fail \"rendered\" }}"),
        ("keep.bak.yaml", &config_map("keep", "x")),
        ("docs/b.yaml", "{{ fail \"rendered\" }}"),
        ("docs/notes.txt", "{{ no template\n"),
    ];
    let found = objects(&kustomization(&files), json!({})).await;
    assert_eq!(names(&found), ["a", "keep"]);
    assert_eq!(texts(&found)["a"], "read {{ no template true");
    let refers = [(".component-ignore", "b.yaml\n"), ("kustomization.yaml", "resources: [b.yaml]\n"), ("b.yaml", &a)];
    let error = failure(&kustomization(&refers)).await;
    assert!(error.contains("b.yaml"), "{error}");
}

// KUS-3
#[test]
fn a_malformed_rule_is_an_error_with_its_line() {
    let error = fault(&kustomization(&[(".component-ignore", "*.md\n[z-a]\n")]));
    assert!(error.starts_with(".component-ignore:2: "), "{error}");
}
