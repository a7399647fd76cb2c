//! The command line: flags, outputs and errors.

use std::path::PathBuf;

use crate::fixtures::{CHART, KUSTOMIZATION, directory, run_in};

const METADATA: (&str, &str) = ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");

fn web(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let files: Vec<_> = [METADATA].iter().chain(files).copied().collect();
    directory(name, &files)
}

#[test]
fn objects_come_by_kind_with_their_files_and_hooks_last() {
    let root = web(
        "order",
        &[
            ("web/templates/deployment.yaml", "kind: Deployment\n"),
            ("web/templates/hook.yaml", "kind: Job\nmetadata:\n  annotations: {helm.sh/hook: pre-install}\n"),
            ("web/templates/service.yaml", "\n---\nkind: Service\n"),
        ],
    );
    let run = run_in(&root, CHART, ["web"]);
    assert_eq!(run.errors, "");
    assert_eq!(
        run.output,
        "---\n# Source: web/templates/service.yaml\nkind: Service\n\n---\n# Source: web/templates/deployment.yaml\nkind: Deployment\n\
         ---\n# Source: web/templates/hook.yaml\nkind: Job\nmetadata:\n  annotations: {helm.sh/hook: pre-install}\n\n"
    );
}

#[test]
fn flags_become_values_release_and_capabilities() {
    let template = "got: [{{ .Values.a }}, {{ .Values.b }}, {{ .Release.Name }}, {{ .Release.Namespace }}, {{ .Release.IsUpgrade }}, \
                    {{ .Capabilities.KubeVersion }}, {{ .Capabilities.APIVersions.Has \"x/v1\" }}, {{ .Capabilities.APIVersions.Has \"y/v1\" }}]";
    let files = [("web/templates/a.yaml", template), ("one.yaml", "{a: 1, b: 1}"), ("two.yaml", "b: 2")];
    let root = web("flags", &files);
    let arguments = "web --name rel --namespace ns --values one.yaml --values two.yaml --api-versions x/v1,y/v1 --kube-version 1.33.1 --is-upgrade";
    let run = run_in(&root, CHART, arguments.split(' '));
    assert_eq!(run.output.lines().nth(2).unwrap_or(&run.errors), "got: [1, 2, rel, ns, true, v1.33.1, true, true]");
}

#[test]
fn notes_are_printed_in_place_of_objects() {
    let root = web("notes", &[("web/templates/NOTES.txt", "Open {{ .Release.Name }}.\n\n"), ("web/templates/a.yaml", "kind: A")]);
    let run = run_in(&root, CHART, ["web", "--notes", "--name", "rel"]);
    assert_eq!((run.code, run.output.as_str()), (0, "Open rel.\n"));
}

#[test]
fn a_seed_repeats_random_texts() {
    let root = web("seed", &[("web/templates/a.yaml", "a: {{ randAlphaNum 20 }}")]);
    let output = |arguments: &[&str]| run_in(&root, CHART, [&["web"], arguments].concat()).output;
    assert_eq!(output(&["--seed", "1"]), output(&["--seed", "1"]));
    assert_ne!(output(&["--seed", "1"]), output(&["--seed", "2"]));
    assert_ne!(output(&[]), output(&[]));
}

#[test]
fn errors_of_charts_name_file_and_place() {
    let root = web("chart-errors", &[("web/templates/a.yaml", "a: {{ fail \"no\" }}")]);
    let run = run_in(&root, CHART, ["web"]);
    assert_eq!((run.code, run.output.as_str()), (1, ""));
    assert!(run.errors.starts_with("error: failed to render the chart web: "), "{}", run.errors);
    assert!(run.errors.contains("web/templates/a.yaml:1:6"), "{}", run.errors);
    let run = run_in(&root, CHART, ["absent"]);
    assert!(run.errors.starts_with("error: failed to render the chart absent: read absent: "), "{}", run.errors);
    let run = run_in(&root, CHART, ["web", "-f", "absent.yaml"]);
    assert!(run.errors.contains("read the values absent.yaml: "), "{}", run.errors);
}

#[test]
fn a_kustomization_refers_to_files_below_the_current_directory() {
    let files = [
        ("base/kustomization.yaml", "resources: [map.yaml]"),
        ("base/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}"),
        ("overlay/kustomization.yaml", "namePrefix: my-\nresources: [../base]"),
    ];
    let root = directory("kustomization", &files);
    let expected = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: my-m\n";
    assert_eq!(run_in(&root, KUSTOMIZATION, ["overlay"]).output, expected);
    let elsewhere = directory("elsewhere", &[("file", "")]);
    let overlay = root.join("overlay").display().to_string();
    let run = run_in(&elsewhere, KUSTOMIZATION, [&overlay]);
    assert!(run.errors.contains("leaves the tree of files"), "{}", run.errors);
    let root = root.display().to_string();
    assert_eq!(run_in(&elsewhere, KUSTOMIZATION, [&overlay, "--root", &root]).output, expected);
}

#[test]
fn errors_of_kustomizations_name_the_file() {
    let root = directory("kustomization-errors", &[("kustomization.yaml", "resources: [absent.yaml]")]);
    let run = run_in(&root, KUSTOMIZATION, ["."]);
    assert_eq!(run.code, 1);
    assert!(run.errors.starts_with("error: failed to build the kustomization .: kustomization.yaml: "), "{}", run.errors);
    assert!(run.errors.contains("absent.yaml"), "{}", run.errors);
    let run = run_in(&root, KUSTOMIZATION, ["absent"]);
    assert!(run.errors.contains("find the directory absent: "), "{}", run.errors);
}

#[test]
fn help_tells_the_flags_and_a_wrong_command_line_is_refused() {
    let root = directory("help", &[("file", "")]);
    for (program, flag) in [(CHART, "--helm3"), (KUSTOMIZATION, "--root")] {
        let run = run_in(&root, program, ["--help"]);
        assert_eq!(run.code, 0);
        assert!(run.output.contains(flag), "{}", run.output);
        assert_eq!(run_in(&root, program, [""; 0]).code, 2);
        assert_eq!(run_in(&root, program, [".", "--unknown"]).code, 2);
    }
}
