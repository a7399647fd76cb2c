//! The files of one directory, with its control files read.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::config::{CONFIG_FILE, ComponentConfig};
use super::ignore_rules::{ComponentIgnore, IGNORE_FILE};
use super::options::TemplateOptions;
use super::source::FileSource;
use crate::file_map::{FileMap, entry_path, is_within, join, relative};
use crate::{InputError, RenderError};

/// The largest total size of the files of a generator, in bytes.
const LARGEST_SIZE: u64 = 256 * 1024 * 1024;
/// The largest number of files of a generator.
const MOST_FILES: usize = 50_000;

/// The number and size of files that may still be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileBudget {
    size: u64,
    files: usize,
}

impl Default for FileBudget {
    fn default() -> Self {
        Self { size: LARGEST_SIZE, files: MOST_FILES }
    }
}

impl FileBudget {
    pub(super) const fn size_left(&self) -> u64 {
        self.size
    }

    /// Counts a file.
    pub(super) fn take(&mut self, size: usize, path: &str) -> Result<(), InputError> {
        let rest = self.size.checked_sub(size as u64).zip(self.files.checked_sub(1));
        (self.size, self.files) = rest.ok_or_else(|| {
            let problem = format!("the files are larger than {LARGEST_SIZE} bytes in total, or more than {MOST_FILES}");
            InputError::new(problem).file(path)
        })?;
        Ok(())
    }
}

/// The files of one directory.
#[derive(Debug)]
pub(crate) struct LoadedFiles {
    /// The options, of which the configuration file has replaced some.
    pub(crate) options: TemplateOptions,
    /// The files that are rendered or copied, by their paths in the directory.
    pub(crate) active: FileMap,
    /// All files that templates can read, by their paths relative to the directory: ignored and included ones too.
    pub(crate) readable: Arc<FileMap>,
}

impl LoadedFiles {
    /// Reads the files of a directory of a source.
    pub(crate) fn read(
        source: &FileSource,
        directory: &str,
        mut options: TemplateOptions,
        budget: &mut FileBudget,
    ) -> Result<Self, RenderError> {
        let mut readable = source.files_below(directory, budget)?;
        let shown = |file: &str| source.shown(&entry_path(directory, file));
        let config = match readable.get(CONFIG_FILE) {
            Some(content) => ComponentConfig::read(content, &shown(CONFIG_FILE))?,
            None => ComponentConfig::default(),
        };
        options.configure(config);
        let rules = ComponentIgnore::read(readable.get(IGNORE_FILE).map_or(&[], |content| content), &shown(IGNORE_FILE))?;
        for path in &included_paths(source, directory, &options.included_files)? {
            readable.insert(relative(path, directory), source.file(path, budget)?);
        }
        if let Some(decryptor) = &options.decryptor {
            for (path, content) in readable.iter_mut().filter(|(path, _)| ![CONFIG_FILE, IGNORE_FILE].contains(&path.as_str())) {
                let decrypted = (decryptor.0)(content, path);
                let decrypted = decrypted
                    .map_err(|error| InputError::new(format!("failed to decrypt the file: {error}")).file(shown(path)))?;
                // A file may have been packed too.
                budget.take(decrypted.len(), path)?;
                *content = decrypted.into();
            }
        }
        let is_active =
            |path: &str| !path.starts_with("../") && ![CONFIG_FILE, IGNORE_FILE].contains(&path) && !rules.is_ignored(path);
        let active = readable.iter().filter(|(path, _)| is_active(path));
        let active = active.map(|(path, content)| (path.clone(), Arc::clone(content))).collect();
        Ok(Self { options, active, readable: Arc::new(readable) })
    }
}

/// Returns the paths in the source of the files or directories that a directory includes. They lie outside of it, and each is listed once.
pub(crate) fn included_paths(source: &FileSource, directory: &str, paths: &[String]) -> Result<BTreeSet<String>, InputError> {
    let mut included = BTreeSet::new();
    for path in paths {
        let refuse =
            |problem: &str| InputError::new(format!("the included path {path:?} {problem}")).file(source.shown(directory));
        if path.starts_with('/') {
            return Err(refuse("is absolute; it must be relative to the directory"));
        }
        let full = join(directory, path).ok_or_else(|| refuse("leaves the tree of files"))?;
        if is_within(&full, directory) {
            return Err(refuse("lies inside of the directory; only files outside of it need to be included"));
        }
        if !included.insert(full) {
            return Err(refuse("is listed twice"));
        }
    }
    Ok(included)
}
