//! Charts on a disk: the only module that reads files.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::archive::read_archive;
use super::file::{ChartFile, without_mark};
use super::ignore::{IGNORE_FILE, IgnoreRules};
use super::limits::RemainingLimits;
use crate::error::ChartError;

/// The file that makes a directory a chart.
const METADATA_FILE: &str = "Chart.yaml";
/// The largest number of directories inside each other.
const DEPTH: usize = 64;

/// Reads the files of a chart from a directory or an archive.
pub(crate) fn read_path(path: &Path, limits: &mut RemainingLimits) -> Result<Vec<ChartFile>, ChartError> {
    if path.is_dir() { read_directory(path, limits) } else { read_archive(&read(path, limits)?, limits) }
}

/// Reads the files of a directory that are not ignored, in the order of a walk. Links inside of the directory are followed, others are refused.
fn read_directory(root: &Path, limits: &mut RemainingLimits) -> Result<Vec<ChartFile>, ChartError> {
    let root = fs::canonicalize(root).map_err(|source| ChartError::Read { path: root.to_owned(), source })?;
    // A directory that is no chart can be large, and the limits would be the error.
    if fs::symlink_metadata(root.join(METADATA_FILE)).is_err() {
        return Err(ChartError::NoMetadata);
    }
    let mut walk = DirectoryWalk { root: root.clone(), rules: IgnoreRules::parse("")?, limits, files: Vec::new() };
    let ignore_file = root.join(IGNORE_FILE);
    if fs::symlink_metadata(&ignore_file).is_ok() {
        let metadata = walk.metadata(&ignore_file, IGNORE_FILE)?;
        walk.rules = IgnoreRules::parse(&String::from_utf8_lossy(&walk.content(&ignore_file, &metadata)?))?;
    }
    walk.directory(&root, "", 0)?;
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
        let metadata = self.metadata(path, name)?;
        let is_ignored = self.rules.is_ignored(name, metadata.is_dir());
        if is_ignored || metadata.is_dir() {
            // Directories and ignored files count, too: links can make many of few.
            self.limits.take(0)?;
        }
        if is_ignored {
            return Ok(());
        }
        if metadata.is_dir() {
            return self.directory(path, name, depth + 1);
        }
        let data = self.content(path, &metadata)?;
        self.limits.take(data.len() as u64)?;
        self.files.push(ChartFile::new(name, without_mark(&data)));
        Ok(())
    }

    /// Returns the metadata of a file or directory, or of the one in the chart to which a link leads.
    fn metadata(&self, path: &Path, name: &str) -> Result<Metadata, ChartError> {
        let failed = |source| ChartError::Read { path: path.to_owned(), source };
        let own = fs::symlink_metadata(path).map_err(failed)?;
        if !own.is_symlink() {
            return Ok(own);
        }
        let target = fs::canonicalize(path).map_err(failed)?;
        if !target.starts_with(&self.root) {
            return Err(ChartError::Archive(format!("the link {name} leaves the chart")));
        }
        let directory = fs::canonicalize(path.parent().unwrap_or(&self.root)).map_err(failed)?;
        if directory.starts_with(&target) {
            return Err(ChartError::Archive(format!("the link {name} leads back to a directory that contains it")));
        }
        fs::metadata(&target).map_err(failed)
    }

    /// Returns the content of a file. Opening a pipe or a device could take forever.
    fn content(&self, path: &Path, metadata: &Metadata) -> Result<Vec<u8>, ChartError> {
        if !metadata.is_file() {
            let text = format!("cannot load irregular file {} as it has file mode type bits set", path.display());
            return Err(ChartError::Archive(text));
        }
        read(path, self.limits)
    }
}

/// Reads a file that is not larger than the limits allow. It may have another size than its metadata say.
fn read(path: &Path, limits: &RemainingLimits) -> Result<Vec<u8>, ChartError> {
    let most = limits.size.saturating_add(1);
    let mut data = Vec::new();
    let read = File::open(path).and_then(|file| {
        // One byte more, so that the end is seen without another allocation.
        let expected = file.metadata()?.len().saturating_add(1).min(most);
        data.reserve_exact(usize::try_from(expected).unwrap_or(0));
        file.take(most).read_to_end(&mut data)
    });
    read.map_err(|source| ChartError::Read { path: path.to_owned(), source })?;
    if data.len() as u64 > limits.size { Err(limits.exceeded()) } else { Ok(data) }
}
