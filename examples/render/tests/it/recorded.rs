//! The recorded outputs of helm and kustomize, byte by byte.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::fixtures::{CHART, KUSTOMIZATION, RenderRun, directories, recordings, run_in};

/// Renders a recorded case of a chart.
fn chart(chart: &Path, case: &Path, facts: &Value, is_helm3: bool) -> RenderRun {
    let text = |key: &str| facts[key].as_str().unwrap().to_owned();
    let mut arguments = vec![chart.display().to_string()];
    arguments.extend(["--name".to_owned(), text("release"), "--namespace".to_owned(), text("namespace")]);
    arguments.extend(["--kube-version".to_owned(), text("kubeVersion")]);
    arguments.extend(["--values".to_owned(), case.join("values.yaml").display().to_string()]);
    for version in facts["apiVersions"].as_array().unwrap() {
        arguments.extend(["--api-versions".to_owned(), version.as_str().unwrap().to_owned()]);
    }
    for (key, flag) in [("isUpgrade", "--is-upgrade"), ("includeCrds", "--include-crds")] {
        arguments.extend(facts[key].as_bool().unwrap().then(|| flag.to_owned()));
    }
    arguments.extend(is_helm3.then(|| "--helm3".to_owned()));
    run_in(chart, CHART, arguments)
}

/// Returns the first line in which two texts differ.
fn difference(found: &str, expected: &str) -> String {
    let lines = found.lines().zip(expected.lines()).enumerate();
    let different = lines.map(|(index, (left, right))| (index + 1, left, right)).find(|(_, left, right)| left != right);
    match different {
        Some((line, left, right)) => format!("line {line}: {left:?} for {right:?}"),
        None => format!("{} bytes for {}", found.len(), expected.len()),
    }
}

#[test]
fn charts_are_printed_as_by_helm_template() {
    let Some(data) = recordings("charts") else { return };
    let (mut compared, mut differences) = (0, Vec::new());
    for path in directories(&data) {
        for case in directories(&path.join("cases")) {
            let facts: Value = serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap();
            for (is_helm3, file) in [(true, "expected.yaml"), (false, "expected-helm4.yaml")] {
                let Ok(expected) = fs::read_to_string(case.join(file)) else { continue };
                let found = chart(&path, &case, &facts, is_helm3);
                compared += 1;
                if found.code != 0 {
                    differences.push(format!("{}: {}", case.display(), found.errors));
                } else if found.output != expected {
                    differences.push(format!("{} {file}: {}", case.display(), difference(&found.output, &expected)));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} of {compared} differ:\n{}", differences.len(), differences.join("\n"));
    eprintln!("{compared} outputs of charts are equal");
}

#[test]
fn kustomizations_are_printed_as_by_kustomize_build() {
    let Some(data) = recordings("kustomize") else { return };
    let (mut compared, mut differences) = (0, Vec::new());
    for case in directories(&data) {
        let Ok(expected) = fs::read_to_string(case.join("expected.yaml")) else { continue };
        let facts: Value = serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap();
        let found = run_in(&case, KUSTOMIZATION, [facts["path"].as_str().unwrap()]);
        compared += 1;
        if found.code != 0 {
            differences.push(format!("{}: {}", case.display(), found.errors));
        } else if found.output != expected {
            differences.push(format!("{}: {}", case.display(), difference(&found.output, &expected)));
        }
    }
    assert!(differences.is_empty(), "{} of {compared} differ:\n{}", differences.len(), differences.join("\n"));
    eprintln!("{compared} outputs of kustomizations are equal");
}
