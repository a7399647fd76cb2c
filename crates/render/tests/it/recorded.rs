//! The kustomizations that were built by kustomize itself, as generators: their objects in their order, and their failures.
//!
//! The recordings are in `shared/data/kustomize` beside the repository. Without them the test is skipped and says so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kubewright_machinery::yaml;
use kubewright_render::{Generator as _, Kustomization, RenderError};
use serde_json::{Value, json};

use crate::rendering::{context, resolved};

/// The case whose directory has no kustomization file. A generator makes one (KUS-7), where kustomize fails.
const WITHOUT_FILE: &str = "fail-no-kustomization";

#[tokio::test]
async fn kustomizations_have_the_recorded_objects_or_fail_with_the_recorded_text() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(data) = here.ancestors().map(|folder| folder.join("shared/data/kustomize")).find(|data| data.is_dir()) else {
        eprintln!("skipped: there is no shared/data/kustomize beside the repository");
        return;
    };
    let (mut built, mut failed, mut wrong) = (0, 0, Vec::new());
    let mut cases: Vec<PathBuf> = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    for case in &cases {
        let description: Value = serde_json::from_str(&std::fs::read_to_string(case.join("case.json")).unwrap()).unwrap();
        let path = case.join(description["path"].as_str().unwrap());
        let kustomization = Kustomization::directory(&path).included_kustomizations(neighbours(&case.join("in"), &path));
        let rendered = kustomization.render(&context(json!({}))).await;
        let outcome = match (rendered, description["error"].as_str()) {
            (Ok(_), Some(_)) if case.ends_with(WITHOUT_FILE) => Ok(&mut failed),
            (Err(RenderError::Input(error)), Some(text)) if error.to_string().contains(text) => Ok(&mut failed),
            (Ok(manifests), None) => {
                let expected = std::fs::read_to_string(case.join("expected.yaml")).unwrap();
                let expected = yaml::documents(&expected).unwrap();
                if resolved(manifests) == expected { Ok(&mut built) } else { Err("has other objects".to_owned()) }
            }
            (Ok(_), Some(text)) => Err(format!("was built instead of failing with {text:?}")),
            (Err(error), _) => Err(format!("failed: {error}")),
        };
        match outcome {
            Ok(count) => *count += 1,
            Err(difference) => wrong.push(format!("{}: {difference}", case.display())),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert_eq!((built, failed), (32, 10));
}

/// Returns the directories of a tree that neither lie in a path nor contain it, as paths relative to it.
fn neighbours(tree: &Path, path: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut up = String::new();
    for ancestor in path.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(tree)) {
        up.push_str("../");
        for entry in std::fs::read_dir(ancestor).unwrap().map(|entry| entry.unwrap()) {
            if entry.file_type().unwrap().is_dir() && !path.starts_with(entry.path()) {
                found.insert(format!("{up}{}", entry.file_name().to_string_lossy()));
            }
        }
    }
    found
}
