//! The structure of the crate, of `kubewright-schema`, `kubewright-template` and `kubewright-middleware`: rules about all of their source files.

use std::path::Path;

/// Returns every source file of a crate outside these folders of `src`, with its text.
fn sources(krate: &str, without: &[&str]) -> Vec<(String, String)> {
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src");
    let mut found = Vec::new();
    visit(&root, &mut found);
    let root = format!("{}/", root.display());
    found.retain(|(path, _)| without.iter().all(|folder| !path[root.len()..].starts_with(folder)));
    found
}

/// Returns a source file without its test modules, to which the rules do not apply.
fn without_tests(text: &str) -> String {
    let (mut code, mut lines) = (String::new(), text.lines().peekable());
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{')) {
            lines.by_ref().find(|line| *line == "}");
        } else {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

#[test]
fn code_behind_the_declaration_of_a_test_module_counts() {
    let text = "#[cfg(test)]\nmod tests;\nuse std::fs;\n#[cfg(test)]\nmod more {\n    use std::env;\n}\nuse std::process;\n";
    assert_eq!(without_tests(text), "#[cfg(test)]\nmod tests;\nuse std::fs;\nuse std::process;\n");
}

// SARC-1
#[test]
fn the_server_depends_only_on_the_machinery_middleware_and_schema_crates_of_the_project() {
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("[features]").next().unwrap();
    let ours: Vec<&str> = dependencies.lines().filter(|line| line.starts_with("kubewright")).collect();
    let expected = ["machinery", "middleware", "schema"].map(|krate| format!("kubewright-{krate}.workspace = true"));
    assert_eq!(ours, expected);
}

// SARC-2
#[test]
fn only_the_front_the_clock_and_admission_reach_outside_the_process() {
    let server = sources("apiserver", &["listen", "admission", "bin"]);
    for (path, text) in
        server.into_iter().chain(sources("schema", &[])).chain(sources("template", &[])).chain(sources("middleware", &["clock"]))
    {
        let code = without_tests(&text);
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

#[test]
fn the_api_names_neither_http_nor_the_journal_nor_fault_rules() {
    let folder = Path::new("apiserver").join("src").join("api");
    let files: Vec<_> =
        sources("apiserver", &[]).into_iter().filter(|(path, _)| path.contains(&*folder.to_string_lossy())).collect();
    assert!(files.len() > 20, "the files are found");
    for (path, text) in files {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (line, word) in code
            .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').map(move |word| (line, word)))
        {
            assert!(
                !matches!(word, "http" | "http_body" | "HeaderMap" | "Query" | "journal" | "Journal" | "faults" | "Faults"),
                "{path} names {word}: {line}"
            );
        }
    }
}
