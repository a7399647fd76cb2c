//! The build of the real control plane.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/kubernetes")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Returns the modules in a block of go.mod, each with the rest of its line.
fn block(text: &str, verb: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        let entry = match (inside, line.strip_prefix(verb).map(str::trim)) {
            (_, Some("(")) => {
                inside = true;
                continue;
            }
            (true, _) if line == ")" => {
                inside = false;
                continue;
            }
            (true, _) => line,
            (false, Some(entry)) => entry,
            (false, None) => continue,
        };
        let (module, rest) = entry.split_once(' ').unwrap_or((entry, ""));
        found.push((module.to_owned(), rest.trim().to_owned()));
    }
    found
}

// RT-1
#[test]
fn the_folder_holds_no_source_of_go() {
    let names: BTreeSet<String> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["README.md", "build.sh", "go.mod", "go.sum"]);
}

// RT-2, RT-3
#[test]
fn the_versions_of_kubernetes_and_of_its_parts_are_pinned() {
    let text = text("go.mod");
    let required = block(&text, "require");
    let version = |module: &str| required.iter().find(|(name, _)| name == module).map(|(_, version)| version.as_str());
    assert_eq!(version("k8s.io/kubernetes").and_then(|version| version.split(' ').next()), Some("v1.36.2"));
    assert_eq!(version("go.etcd.io/etcd/server/v3").and_then(|version| version.split(' ').next()), Some("v3.6.12"));
    let tools: Vec<String> = block(&text, "tool").into_iter().map(|(tool, _)| tool).collect();
    for tool in ["kube-apiserver", "kube-controller-manager", "kubectl"] {
        assert!(tools.contains(&format!("k8s.io/kubernetes/cmd/{tool}")), "{tool}");
    }
    assert!(tools.contains(&"go.etcd.io/etcd/server/v3".to_owned()));
    let replaced = block(&text, "replace");
    assert_eq!(replaced.len(), 33);
    for (module, by) in replaced {
        assert!(module.starts_with("k8s.io/") && by.ends_with(&format!("{module} v0.36.2")), "{module} {by}");
    }
}

// RT-4, RT-5, RT-6
#[test]
fn a_folder_that_is_up_to_date_is_only_named() {
    let Ok(output) = Command::new("go").args(["env", "GOVERSION", "GOOS", "GOARCH"]).output() else {
        println!("skipped: Go is not here");
        return;
    };
    let facts = String::from_utf8(output.stdout).unwrap();
    let [version, os, architecture] = facts.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{facts}") };
    let sum = Command::new("sha256sum").arg(folder().join("go.sum")).output().unwrap().stdout;
    let sum = String::from_utf8(sum).unwrap().split(' ').next().unwrap().to_owned();
    let out = std::env::temp_dir().join(format!("kubewright-build-{}", std::process::id()));
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join("stamp"), format!("{sum} {version} {os}/{architecture}\n")).unwrap();
    let run = Command::new(folder().join("build.sh")).env("KUBEWRIGHT_KUBERNETES_DIR", &out).output().unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8(run.stdout).unwrap(), format!("{}\n", out.display()));
    let script = text("build.sh");
    for part in [
        "binaries=(etcd kube-apiserver kube-controller-manager kubectl)",
        "CGO_ENABLED=0 go build -trimpath -ldflags",
        "gitVersion=$version gitMajor=1 gitMinor=36 gitTreeState=clean",
        "k8s.io/component-base/version k8s.io/client-go/pkg/version",
    ] {
        assert!(script.contains(part), "{part}");
    }
}
