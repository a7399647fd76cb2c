//! Facts recorded from Knative's library, stored in `shared/data/knative` beside the repository, or in the folder that `KUBEWRIGHT_KNATIVE` names.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the lines of a file of vectors; prints a message and returns none if the recordings are missing.
pub(crate) fn knative_vectors(file: &str) -> Option<Vec<Value>> {
    knative_lines(&format!("vectors/{file}"))
}

/// Returns the lines of a recorded file; prints a message and returns none if the recordings are missing.
pub(crate) fn knative_lines(file: &str) -> Option<Vec<Value>> {
    let named = std::env::var_os("KUBEWRIGHT_KNATIVE").map(PathBuf::from);
    let beside = || {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("shared/data/knative"))
            .find(|data| data.is_dir())
    };
    let Some(folder) = named.or_else(beside) else {
        eprintln!("skipped: there is no shared/data/knative beside the repository");
        return None;
    };
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the texts of a field that is a list.
pub(crate) fn texts(line: &Value, field: &str) -> Vec<String> {
    line[field].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}
