//! The kustomization file of a directory that has none (KUS-7).

use serde_json::json;

use crate::file_map::{FileMap, is_hidden, is_within};

/// The names that a kustomization file may have.
const KUSTOMIZATION_FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Adds a kustomization file to the outputs of a directory that has none. It lists all files of YAML that are not hidden; of a directory inside that has a
/// kustomization file, it lists the directory, since kustomize accepts no kustomization as a resource file.
///
/// Returns false if there is nothing to list.
pub(super) fn add_kustomization_file(outputs: &mut FileMap) -> bool {
    if KUSTOMIZATION_FILES.iter().any(|name| outputs.contains_key(*name)) {
        return true;
    }
    let mut resources: Vec<&str> = Vec::new();
    for path in outputs.keys().filter(|path| !is_hidden(path)) {
        if let Some((directory, name)) = path.rsplit_once('/')
            && KUSTOMIZATION_FILES.contains(&name)
        {
            resources.push(directory);
        }
    }
    let directories = resources.clone();
    let is_yaml = |path: &str| path.rsplit_once('.').is_some_and(|(_, extension)| ["yaml", "yml"].contains(&extension));
    let is_listed =
        |path: &&str| !is_hidden(path) && is_yaml(path) && !directories.iter().any(|directory| is_within(path, directory));
    resources.retain(|path| !directories.iter().any(|directory| path != directory && is_within(path, directory)));
    resources.extend(outputs.keys().map(String::as_str).filter(is_listed));
    resources.sort_unstable();
    let is_empty = resources.is_empty();
    let file = json!({ "resources": resources }).to_string();
    outputs.insert(KUSTOMIZATION_FILES[0].to_owned(), file.into_bytes().into());
    !is_empty
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(paths: &[&str]) -> Option<String> {
        let mut outputs: FileMap = paths.iter().map(|path| ((*path).to_owned(), b"x".as_slice().into())).collect();
        let is_filled = add_kustomization_file(&mut outputs);
        let file = outputs.remove("kustomization.yaml").map(|content| String::from_utf8_lossy(&content).into_owned());
        file.filter(|_| is_filled)
    }

    // KUS-7
    #[test]
    fn all_yaml_files_that_are_not_hidden_are_listed() {
        let paths = ["b.yml", "a.yaml", "c.json", "sub/d.yaml", ".e.yaml", ".f/g.yaml", "README.md"];
        assert_eq!(made(&paths).unwrap(), r#"{"resources":["a.yaml","b.yml","sub/d.yaml"]}"#);
        assert_eq!(made(&["README.md", ".a.yaml"]), None);
        assert_eq!(made(&[]), None);
    }

    #[test]
    fn a_directory_with_a_kustomization_is_listed_as_a_directory() {
        let paths = ["a.yaml", "sub/kustomization.yml", "sub/x.yaml", "sub/deep/kustomization.yaml", "subs.yaml"];
        assert_eq!(made(&paths).unwrap(), r#"{"resources":["a.yaml","sub","subs.yaml"]}"#);
    }

    #[test]
    fn a_kustomization_file_of_the_directory_stays_as_it_is() {
        for name in KUSTOMIZATION_FILES {
            let mut outputs = FileMap::from([(name.to_owned(), b"x".as_slice().into())]);
            assert!(add_kustomization_file(&mut outputs));
            assert_eq!(outputs.len(), 1, "{name}");
        }
    }
}
