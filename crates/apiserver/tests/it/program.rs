//! The program, started and used in the way of a test in another language.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const SEED: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: seeded, namespace: default}
data: {greeting: hello}
";

/// A running program, which is killed when this value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and waits for the line with its address, as README.md describes.
fn start(folder: &Path, args: &[&str]) -> (Program, String) {
    let seed = folder.join("seed.yaml");
    std::fs::write(&seed, SEED).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_kubewright-apiserver"))
        .args(args)
        .arg("--kubeconfig")
        .arg(folder.join("kubeconfig"))
        .arg("--seed")
        .arg(&seed)
        .stdout(Stdio::piped())
        .spawn();
    let mut program = Program(child.unwrap());
    let mut lines = BufReader::new(program.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let serving = lines.find_map(|line| Some(line.strip_prefix("serving Kubernetes ")?.split_once(" on ")?.1.to_owned()));
    (program, serving.unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns status line and body of an answer.
fn answer(url: &str, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_program_serves_its_seed_objects_and_writes_its_address_to_the_kubeconfig() {
    let folder = folder("program-plain");
    let (_program, url) = start(&folder, &["--plain"]);
    let map = answer(&url, "GET /api/v1/namespaces/default/configmaps/seeded", "");
    assert!(map.starts_with("HTTP/1.1 200") && map.contains("\"greeting\":\"hello\""), "{map}");
    let kubeconfig = std::fs::read_to_string(folder.join("kubeconfig")).unwrap();
    assert!(kubeconfig.contains(&url), "{kubeconfig}");
}

#[test]
fn the_program_serves_although_the_reader_of_its_output_has_gone() {
    let folder = folder("program-unread");
    // A pipe that the program fills when it listens, before it prints its address.
    let kubeconfig = folder.join("kubeconfig");
    let _ = std::fs::remove_file(&kubeconfig);
    assert!(Command::new("mkfifo").arg(&kubeconfig).status().unwrap().success());
    let (reader, output) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubewright-apiserver"));
    command.args(["--plain", "--kubeconfig"]).arg(&kubeconfig).stdout(output).stderr(Stdio::piped());
    let mut program = Program(command.spawn().unwrap());
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let url = &text[text.find("http://").unwrap()..];
    let url = url.split(|end: char| end.is_whitespace() || end == '"').next().unwrap();
    let namespace = answer(url, "GET /api/v1/namespaces/default", "");
    assert!(namespace.starts_with("HTTP/1.1 200"), "{namespace}");
    program.0.kill().unwrap();
    let mut errors = String::new();
    program.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

// The default features include the rules of custom resources, as on a real cluster.
#[test]
fn the_program_checks_rules_of_custom_resources() {
    let folder = folder("program-rules");
    let (_program, url) = start(&folder, &["--plain"]);
    let gadget = r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"},"size":0}"#;
    let refused = answer(&url, "POST /apis/example.com/v1/namespaces/default/gadgets", gadget);
    assert!(refused.starts_with("HTTP/1.1 422") && refused.contains("self > 0"), "{refused}");
}

// `cargo run -p kubewright-apiserver` and `cargo install --path crates/apiserver` name no features.
#[test]
fn the_program_is_built_by_the_default_features() {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    let needed = manifest["bin"][0]["required-features"].as_array().unwrap();
    let default = manifest["features"]["default"].as_array().unwrap();
    assert!(needed.iter().all(|feature| default.contains(feature)), "{needed:?} are not all in {default:?}");
    // Libraries do not depend on features that only the program needs.
    let workspace: toml::Table = include_str!("../../../../Cargo.toml").parse().unwrap();
    assert_eq!(workspace["workspace"]["dependencies"]["kubewright-apiserver"]["default-features"], false.into());
}
