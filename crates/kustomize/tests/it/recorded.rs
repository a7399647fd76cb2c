//! The kustomizations that were built by kustomize itself: their objects in their order, and their failures.
//!
//! The recordings are in `shared/data/kustomize` beside the repository. Without them the test is skipped and says so. The README has a table of
//! the cases.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use kubewright_machinery::yaml;
use serde_json::Value;

use crate::readme_table::check_table;

#[test]
fn kustomizations_have_the_recorded_objects_or_fail_with_the_recorded_text() {
    let Some(data) = recordings() else {
        eprintln!("skipped: there is no shared/data/kustomize beside the repository");
        return;
    };
    let mut cases: Vec<PathBuf> = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for case in &cases {
        let name = case.file_name().unwrap().to_string_lossy();
        match compare(case) {
            Ok(agreement) => rows.push((name, agreement)),
            Err(difference) => wrong.push(format!("{name}: {difference}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let built = rows.iter().filter(|(_, agreement)| matches!(agreement, CaseAgreement::Objects(_))).count();
    assert_eq!((built, rows.len() - built), (32, 10));
    let mut table = "| Case | Like kustomize |\n|---|---|\n".to_owned();
    for (name, agreement) in rows {
        writeln!(table, "| `{name}` | {agreement} |").unwrap();
    }
    check_table(&table);
}

fn recordings() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared/data/kustomize")).find(|data| data.is_dir())
}

/// The result of a case that agrees with its recording.
enum CaseAgreement {
    /// The number of objects, which are equal and in the same order.
    Objects(usize),
    /// The recorded part of the error.
    Failure(String),
}

impl fmt::Display for CaseAgreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objects(1) => f.write_str("1 object"),
            Self::Objects(number) => write!(f, "{number} objects"),
            Self::Failure(text) => write!(f, "fails: `{text}`"),
        }
    }
}

/// Builds a case and compares it with its recording. An error says how they differ.
fn compare(case: &Path) -> Result<CaseAgreement, String> {
    let description = std::fs::read_to_string(case.join("case.json")).map_err(|error| error.to_string())?;
    let description: Value = serde_json::from_str(&description).map_err(|error| error.to_string())?;
    let tree = kubewright_kustomize::read_directory(case).map_err(|error| error.to_string())?;
    let path = description["path"].as_str().ok_or("the case has no path")?;
    match (kubewright_kustomize::build(&tree, path), description["error"].as_str()) {
        (Err(error), Some(text)) if error.to_string().contains(text) => Ok(CaseAgreement::Failure(text.to_owned())),
        (Err(error), Some(text)) => Err(format!("failed with {error:?} instead of {text:?}")),
        (Ok(_), Some(text)) => Err(format!("was built instead of failing with {text:?}")),
        (Err(error), None) => Err(format!("failed with: {error}")),
        (Ok(objects), None) => {
            let expected = std::fs::read_to_string(case.join("expected.yaml")).map_err(|error| error.to_string())?;
            let expected = yaml::documents(&expected).map_err(|error| error.to_string())?;
            if objects == expected { Ok(CaseAgreement::Objects(objects.len())) } else { Err(difference(&objects, &expected)) }
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
