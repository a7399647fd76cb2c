//! How the crate is put together: rules that no single function can keep.

use std::path::Path;

/// Every source file of the crate outside these folders of `src`, with its text.
fn sources(without: &[&str]) -> Vec<(String, String)> {
    fn visit(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    visit(&root, &mut found);
    let root = format!("{}/", root.display());
    found.retain(|(path, _)| without.iter().all(|folder| !path[root.len()..].starts_with(folder)));
    found
}

// ARC-1
#[test]
fn of_the_house_the_server_knows_what_both_sides_of_the_wire_need_and_no_more() {
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("[features]").next().unwrap();
    let ours: Vec<&str> = dependencies.lines().filter(|line| line.starts_with("kubewright")).collect();
    assert_eq!(ours, ["kubewright-machinery.workspace = true"]);
}

// ARC-2
#[test]
fn only_the_front_the_clock_and_admission_reach_outside_the_process() {
    for (path, text) in sources(&["listen", "admission", "clock", "bin"]) {
        // What tests read is their own business.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for outside in [
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "UnixStream",
            "std::fs",
            "std::process",
            "std::env",
            "SystemTime",
            "Timestamp::now(",
        ] {
            let is_test = path.ends_with("tests.rs") || path.ends_with("recorded.rs") || path.ends_with("fixtures.rs");
            assert!(is_test || !code.contains(outside), "{path} uses {outside}");
        }
    }
}
