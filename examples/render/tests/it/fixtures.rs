//! Runs of the programs, and directories for them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The result of a run.
pub(crate) struct RenderRun {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// A program of the package.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderProgram(&'static str);

/// The program for charts.
pub(crate) const CHART: RenderProgram = RenderProgram(env!("CARGO_BIN_EXE_render-chart"));
/// The program for kustomizations.
pub(crate) const KUSTOMIZATION: RenderProgram = RenderProgram(env!("CARGO_BIN_EXE_render-kustomization"));

/// Runs a program in a directory.
pub(crate) fn run_in<S: AsRef<OsStr>>(
    directory: &Path,
    program: RenderProgram,
    arguments: impl IntoIterator<Item = S>,
) -> RenderRun {
    let mut command = Command::new(program.0);
    let Output { status, stdout, stderr } = command.args(arguments).current_dir(directory).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    RenderRun { code: status.code().unwrap(), output: text(stdout), errors: text(stderr) }
}

/// Creates a directory with files, from their paths and contents.
pub(crate) fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // That of an earlier run.
    let _ = fs::remove_dir_all(&root);
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::canonicalize(root).unwrap()
}

/// Returns a folder of the recordings beside the repository. None, with a message, if there is none.
pub(crate) fn recordings(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

/// Returns the directories in a directory, by their names.
pub(crate) fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
