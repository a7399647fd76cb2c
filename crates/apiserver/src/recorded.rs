//! Recorded answers of a real server, for comparison. The recordings lie beside the repository, or in the folder that `KUBEWRIGHT_RECORDED`
//! names; a test that needs a missing recording says so and passes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns the text of a recording, or `None` if it is missing.
pub(crate) fn text(name: &str) -> Option<String> {
    let folder = std::env::var_os("KUBEWRIGHT_RECORDED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/kubernetes-1.36"), Into::into);
    let output = Command::new("gzip").arg("-dc").arg(folder.join(name)).output().ok()?;
    if !output.status.success() {
        eprintln!("skipped: there is no recording {name} in {}", folder.display());
        return None;
    }
    String::from_utf8(output.stdout).ok()
}

/// Returns a recording that is one JSON document, or `None` if it is missing.
pub(crate) fn json(name: &str) -> Option<Value> {
    serde_json::from_str(&text(name)?).ok()
}
