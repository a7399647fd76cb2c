//! Charts on a disk: the only module that reads files.

use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{RemainingLimits, read_archive};
use super::file::{ChartFile, without_mark};
use super::ignore::IgnoreRules;
use crate::error::ChartError;

/// The largest number of directories inside each other.
const DEPTH: usize = 64;

/// Reads the files of a chart from a directory or an archive.
pub(crate) fn read_path(path: &Path, limits: &mut RemainingLimits) -> Result<Vec<ChartFile>, ChartError> {
    if path.is_dir() { read_directory(path, limits) } else { read_archive(&read(path)?, limits) }
}

/// Reads the files of a directory that are not ignored, in the order of a walk. Links inside of the directory are followed, others are refused.
fn read_directory(root: &Path, limits: &mut RemainingLimits) -> Result<Vec<ChartFile>, ChartError> {
    let real_root = fs::canonicalize(root).map_err(|source| ChartError::Read { path: root.to_owned(), source })?;
    let ignore_file = real_root.join(".helmignore");
    let rules = if ignore_file.exists() { read(&ignore_file)? } else { Vec::new() };
    let rules = IgnoreRules::parse(&String::from_utf8_lossy(&rules))?;
    let mut walk = DirectoryWalk { root: real_root.clone(), rules, limits, files: Vec::new() };
    walk.directory(&real_root, "", 0)?;
    Ok(walk.files)
}

struct DirectoryWalk<'a> {
    root: PathBuf,
    rules: IgnoreRules,
    limits: &'a mut RemainingLimits,
    files: Vec<ChartFile>,
}

impl DirectoryWalk<'_> {
    fn directory(&mut self, directory: &Path, name: &str, depth: usize) -> Result<(), ChartError> {
        let failed = |source| ChartError::Read { path: directory.to_owned(), source };
        if depth > DEPTH {
            return Err(ChartError::Archive(format!("directory {name} is nested more than {DEPTH} levels deep")));
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(directory).map_err(failed)? {
            let entry = entry.map_err(failed)?.file_name();
            let entry = entry.into_string().map_err(|name| {
                ChartError::Archive(format!("the name of the file {} is not UTF-8", directory.join(name).display()))
            })?;
            names.push(entry);
        }
        names.sort();
        for entry in names {
            let path = directory.join(&entry);
            let name = if name.is_empty() { entry } else { format!("{name}/{entry}") };
            self.entry(&path, &name, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: &str, depth: usize) -> Result<(), ChartError> {
        let failed = |source| ChartError::Read { path: path.to_owned(), source };
        // Directories count, too: links can make many of few.
        self.limits.take(0)?;
        let own = fs::symlink_metadata(path).map_err(failed)?;
        let metadata = if own.is_symlink() {
            let target = fs::canonicalize(path).map_err(failed)?;
            if !target.starts_with(&self.root) {
                return Err(ChartError::Archive(format!("the link {name} leaves the chart")));
            }
            fs::metadata(&target).map_err(failed)?
        } else {
            own
        };
        if self.rules.is_ignored(name, metadata.is_dir()) {
            return Ok(());
        }
        if metadata.is_dir() {
            return self.directory(path, name, depth + 1);
        }
        if !metadata.is_file() {
            let text = format!("cannot load irregular file {} as it has file mode type bits set", path.display());
            return Err(ChartError::Archive(text));
        }
        self.limits.take(metadata.len())?;
        let data = read(path)?;
        self.files.push(ChartFile::new(name, without_mark(&data)));
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ChartError> {
    fs::read(path).map_err(|source| ChartError::Read { path: path.to_owned(), source })
}
