//! The library of scripts, read from a folder.

use std::path::{Path, PathBuf};

use super::deviation::Deviations;
use super::rows::Rows;
use crate::script::Script;

/// The scripts of a folder, with their known deviations and the rules that they must prove.
#[derive(Debug)]
pub struct Library {
    /// The scripts, sorted by id.
    pub scripts: Vec<ScriptFile>,
    /// The deviations in `deviations.toml` of the folder and of each area.
    pub deviations: Deviations,
    /// The rules in `rows.toml`.
    pub rows: Rows,
}

/// A script and its file.
#[derive(Debug)]
pub struct ScriptFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The script in the file.
    pub script: Script,
}

/// The error of a file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("read {}: {problem}", path.display())]
pub struct LibraryError {
    path: PathBuf,
    problem: String,
}

impl Library {
    /// Reads the scripts of this crate.
    pub fn own() -> Result<Self, LibraryError> {
        Self::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"))
    }

    /// Reads a folder: one folder per area, one file per script.
    pub fn read(folder: &Path) -> Result<Self, LibraryError> {
        let mut deviations = Deviations::default();
        let mut scripts = Vec::new();
        deviations.read(&folder.join("deviations.toml"))?;
        for area in entries(folder)? {
            if !area.is_dir() {
                continue;
            }
            deviations.read(&area.join("deviations.toml"))?;
            for path in entries(&area)? {
                if path.extension().is_some_and(|extension| extension == "jsonl") {
                    let id = format!("{}/{}", name(&area), name(&path).trim_end_matches(".jsonl"));
                    let text = text(&path)?;
                    let script = Script::parse(&id, &text).map_err(|problem| fault(&path, problem))?;
                    scripts.push(ScriptFile { path, script });
                }
            }
        }
        let rows = Rows::parse(&text(&folder.join("rows.toml"))?).map_err(|problem| fault(&folder.join("rows.toml"), problem))?;
        Ok(Self { scripts, deviations, rows })
    }

    /// Keeps only the scripts whose id contains one of these texts; keeps all without a text.
    pub fn select(mut self, filters: &[String]) -> Self {
        if !filters.is_empty() {
            self.scripts.retain(|file| filters.iter().any(|filter| file.script.id.contains(filter.as_str())));
        }
        self
    }
}

impl ScriptFile {
    /// Writes the script to its file.
    pub fn save(&self) -> Result<(), LibraryError> {
        let text = self.script.to_text().map_err(|error| fault(&self.path, error.to_string()))?;
        std::fs::write(&self.path, text).map_err(|error| fault(&self.path, error.to_string()))
    }
}

pub(super) fn fault(path: &Path, problem: impl Into<String>) -> LibraryError {
    LibraryError { path: path.to_owned(), problem: problem.into() }
}

pub(super) fn text(path: &Path) -> Result<String, LibraryError> {
    std::fs::read_to_string(path).map_err(|error| fault(path, error.to_string()))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
        paths.sort();
        Ok(paths)
    };
    read().map_err(|error| fault(folder, error.to_string()))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
