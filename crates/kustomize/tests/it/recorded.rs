//! The kustomizations that were built by kustomize itself: their objects in their order, and their failures.
//!
//! The recordings are in `shared/data/kustomize` beside the repository. Without them the test is skipped and says so.

use std::path::{Path, PathBuf};

use kubewright_machinery::yaml;
use serde_json::Value;

#[test]
fn kustomizations_have_the_recorded_objects_or_fail_with_the_recorded_text() {
    let Some(data) = recordings() else {
        eprintln!("skipped: there is no shared/data/kustomize beside the repository");
        return;
    };
    let mut cases: Vec<PathBuf> = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let (mut built, mut failed, mut wrong) = (0, 0, Vec::new());
    for case in &cases {
        match compare(case) {
            Ok(true) => built += 1,
            Ok(false) => failed += 1,
            Err(difference) => wrong.push(format!("{}: {difference}", case.display())),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert_eq!((built, failed), (32, 10));
}

fn recordings() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared/data/kustomize")).find(|data| data.is_dir())
}

/// Returns true if a case has the recorded objects, false if it fails with the recorded text, and otherwise the difference.
fn compare(case: &Path) -> Result<bool, String> {
    let description = std::fs::read_to_string(case.join("case.json")).map_err(|error| error.to_string())?;
    let description: Value = serde_json::from_str(&description).map_err(|error| error.to_string())?;
    let tree = kubewright_kustomize::read_directory(case).map_err(|error| error.to_string())?;
    let path = description["path"].as_str().ok_or("the case has no path")?;
    match (kubewright_kustomize::build(&tree, path), description["error"].as_str()) {
        (Err(error), Some(text)) if error.to_string().contains(text) => Ok(false),
        (Err(error), Some(text)) => Err(format!("failed with {error:?} instead of {text:?}")),
        (Ok(_), Some(text)) => Err(format!("was built instead of failing with {text:?}")),
        (Err(error), None) => Err(format!("failed with: {error}")),
        (Ok(objects), None) => {
            let expected = std::fs::read_to_string(case.join("expected.yaml")).map_err(|error| error.to_string())?;
            let expected = yaml::documents(&expected).map_err(|error| error.to_string())?;
            if objects == expected { Ok(true) } else { Err(difference(&objects, &expected)) }
        }
    }
}

fn difference(objects: &[Value], expected: &[Value]) -> String {
    let name = |object: &Value| format!("{}/{}", object["kind"], object["metadata"]["name"]);
    let (found, wanted): (Vec<_>, Vec<_>) = (objects.iter().map(name).collect(), expected.iter().map(name).collect());
    if found != wanted {
        return format!("has {found:?} instead of {wanted:?}");
    }
    let pair = objects.iter().zip(expected).find(|(object, expected)| object != expected);
    pair.map_or_else(String::new, |(object, expected)| format!("{object}\n  instead of\n{expected}"))
}
