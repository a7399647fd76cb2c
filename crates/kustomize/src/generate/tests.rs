use std::collections::BTreeMap;

use serde_json::json;

use super::*;

fn entry(text: &str) -> GeneratedObject {
    serde_json::from_value(kubewright_machinery::yaml::document(text).unwrap()).unwrap()
}

fn made(kind: GeneratedKind, text: &str, all: Option<&GeneratorOptions>) -> Result<BuildResource, BuildProblem> {
    let files: BTreeMap<&str, &[u8]> = BTreeMap::from([
        ("v.env", b"# no\nA=1\n\n B=x=y\nC".as_slice()),
        ("bin", b"\xff\xfe".as_slice()),
        ("t", b"text".as_slice()),
    ]);
    generate(kind, &entry(text), all, &|path| files.get(path).copied().ok_or_else(|| BuildProblem::new("no such file")))
}

#[test]
fn config_maps_come_from_variables_literals_and_files() {
    let made = made(GeneratedKind::ConfigMap, "{name: m, envs: [v.env], literals: [k='q'], files: [bin, n=t]}", None).unwrap();
    assert_eq!(made.object["data"], json!({"A": "1", "B": "x=y", "C": "", "k": "q", "n": "text"}));
    assert_eq!(made.object["binaryData"], json!({"bin": "//4="}));
    assert!(made.needs_hash);
}

#[test]
fn long_values_of_secrets_are_printed_in_lines() {
    let literal = format!("k={}", "x".repeat(60));
    let made = made(GeneratedKind::Secret, &format!("{{name: s, literals: [{literal}]}}"), None).unwrap();
    assert_eq!(made.object["type"], "Opaque");
    let text = made.object["data"]["k"].as_str().unwrap();
    assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [70, 10]);
    assert!(text.ends_with('\n'));
}

#[test]
fn options_of_the_entry_win() {
    let all = GeneratorOptions {
        labels: BTreeMap::from([("a".into(), "all".into()), ("b".into(), "all".into())]),
        immutable: true,
        ..GeneratorOptions::default()
    };
    let text = "{name: m, options: {labels: {a: own}, disableNameSuffixHash: true}}";
    let made = made(GeneratedKind::ConfigMap, text, Some(&all)).unwrap();
    assert_eq!(made.object["metadata"]["labels"], json!({"a": "own", "b": "all"}));
    assert_eq!((made.needs_hash, &made.object["immutable"]), (false, &json!(true)));
}

#[test]
fn bad_sources_are_refused() {
    for (text, problem) in [
        ("{literals: [a=b]}", "has no name"),
        ("{name: m, literals: [a]}", "expected key=value"),
        ("{name: m, literals: [a=b, a=c]}", "illegally repeats the key `a`"),
        ("{name: m, literals: ['a b=c']}", "not a valid key"),
        ("{name: m, files: [a=b=c]}", "contains '='"),
        ("{name: m, files: [missing]}", "no such file"),
        ("{name: m, behavior: other}", "none of create, replace, merge"),
        ("{name: m, type: x}", "only Secrets have a type"),
    ] {
        let found = made(GeneratedKind::ConfigMap, text, None).unwrap_err();
        assert!(found.0.contains(problem), "{text}: {found}");
    }
}

// KUS-9: recorded from kustomize.
#[test]
fn suffixes_are_those_of_kustomize() {
    let suffix = |kind, text| hash_suffix(&made(kind, text, None).unwrap());
    assert_eq!(suffix(GeneratedKind::ConfigMap, "{name: settings, literals: [x=1]}"), "hmg6f82fh6");
    assert_eq!(suffix(GeneratedKind::Secret, "{name: creds, literals: [p=q]}"), "hb2dth72f6");
}
