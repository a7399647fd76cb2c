//! The sources of files: a directory, one that the program embeds, or files in memory.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, DirEntry};

use super::loaded::FileBudget;
use crate::InputError;
use crate::file_map::{FileMap, entry_path, is_within, join};

/// The greatest depth of a directory.
const DEEPEST: usize = 100;

/// A tree of files.
#[derive(Clone, Debug)]
pub(crate) enum FileSource {
    /// A directory that the program embeds.
    Embedded(&'static Dir<'static>),
    /// The file system below its root.
    Disk { root: PathBuf },
    /// Files in memory.
    Memory(FileMap),
}

impl FileSource {
    /// Returns the file system, with the path of a directory in it. A link to the directory itself is followed.
    pub(crate) fn disk(directory: &Path) -> Result<(Self, String), InputError> {
        let refuse = |problem: String| InputError::new(problem).file(directory.display().to_string());
        let real = fs::canonicalize(directory).map_err(|error| refuse(error.to_string()))?;
        let root = real.ancestors().last().map(Path::to_path_buf).unwrap_or_default();
        let inside = real.strip_prefix(&root).unwrap_or(&real);
        let steps = inside.iter().map(|step| step.to_str().ok_or_else(|| refuse("the path is not UTF-8".to_owned())));
        let path = steps.collect::<Result<Vec<_>, _>>()?.join("/");
        Ok((Self::Disk { root }, path))
    }

    /// Returns files in memory. Paths are relative and stay below the root; each names one file.
    pub(crate) fn memory(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self, InputError> {
        let mut map = FileMap::new();
        for (path, content) in files {
            let refuse = |problem: &str| InputError::new(problem).file(path.clone());
            let normal = join("", &path).filter(|normal| !normal.is_empty());
            let normal = normal.ok_or_else(|| refuse("the path is absolute, or leaves the directory"))?;
            if map.insert(normal, content.into()).is_some() {
                return Err(refuse("there are two files of this path"));
            }
        }
        Ok(Self::Memory(map))
    }

    /// Returns the text by which errors name a path.
    pub(crate) fn shown(&self, path: &str) -> String {
        match self {
            Self::Disk { root } => root.join(path).display().to_string(),
            _ => path.to_owned(),
        }
    }

    /// Returns the regular files below a directory by their paths relative to it. Links are not followed.
    pub(crate) fn files_below(&self, directory: &str, budget: &mut FileBudget) -> Result<FileMap, InputError> {
        let mut files = FileMap::new();
        let missing = || InputError::new("the directory does not exist").file(self.shown(directory));
        match self {
            Self::Embedded(root) => {
                let found = if directory.is_empty() { Some(*root) } else { root.get_dir(directory) };
                embedded_files(found.ok_or_else(missing)?, directory, budget, &mut files)?;
            }
            Self::Disk { .. } => {
                self.refuse_links(directory)?;
                self.disk_files(directory, "", 0, budget, &mut files)?;
            }
            Self::Memory(all) => {
                for (path, content) in all.iter().filter(|(path, _)| is_within(path, directory) && *path != directory) {
                    let inside = path[directory.len()..].trim_start_matches('/');
                    budget.take(content.len(), path)?;
                    files.insert(inside.to_owned(), Arc::clone(content));
                }
                if files.is_empty() && !directory.is_empty() {
                    return Err(missing());
                }
            }
        }
        Ok(files)
    }

    /// Returns the content of a regular file. Links are not followed.
    pub(crate) fn file(&self, path: &str, budget: &mut FileBudget) -> Result<Arc<[u8]>, InputError> {
        let missing = || InputError::new("the file does not exist, or is none").file(self.shown(path));
        match self {
            Self::Embedded(root) => {
                let content = root.get_file(path).ok_or_else(missing)?.contents();
                budget.take(content.len(), path)?;
                Ok(content.into())
            }
            Self::Disk { root } => {
                self.refuse_links(path)?;
                let file = root.join(path);
                if !file.is_file() {
                    return Err(missing());
                }
                read(&file, budget)
            }
            Self::Memory(all) => {
                let content = all.get(path).ok_or_else(missing)?;
                budget.take(content.len(), path)?;
                Ok(Arc::clone(content))
            }
        }
    }

    /// Refuses a path on the disk that leads through a link.
    fn refuse_links(&self, path: &str) -> Result<(), InputError> {
        let Self::Disk { root } = self else { return Ok(()) };
        let full = root.join(path);
        let refuse = |problem: String| InputError::new(problem).file(full.display().to_string());
        let real = fs::canonicalize(&full).map_err(|error| refuse(error.to_string()))?;
        if real == full { Ok(()) } else { Err(refuse("the path leads through a link; links are not followed".to_owned())) }
    }

    fn disk_files(
        &self,
        directory: &str,
        inside: &str,
        depth: usize,
        budget: &mut FileBudget,
        files: &mut FileMap,
    ) -> Result<(), InputError> {
        let Self::Disk { root } = self else { return Ok(()) };
        let path = root.join(entry_path(directory, inside));
        let refuse = |problem: String| InputError::new(problem).file(path.display().to_string());
        if depth > DEEPEST {
            return Err(refuse(format!("the directory is nested more than {DEEPEST} levels deep")));
        }
        for entry in fs::read_dir(&path).map_err(|error| refuse(error.to_string()))? {
            let entry = entry.map_err(|error| refuse(error.to_string()))?;
            let kind = entry.file_type().map_err(|error| refuse(error.to_string()))?;
            let name = entry.file_name().into_string();
            let name = name.map_err(|name| refuse(format!("the name of the file {} is not UTF-8", name.display())))?;
            let inside = entry_path(inside, &name);
            if kind.is_dir() {
                self.disk_files(directory, &inside, depth + 1, budget, files)?;
            } else if kind.is_file() {
                files.insert(inside, read(&entry.path(), budget)?);
            }
        }
        Ok(())
    }
}

/// Reads a file that is not larger than the budget allows. It may have another size than its metadata say.
fn read(path: &Path, budget: &mut FileBudget) -> Result<Arc<[u8]>, InputError> {
    let shown = || path.display().to_string();
    let mut content = Vec::new();
    let read = File::open(path).and_then(|file| file.take(budget.size_left().saturating_add(1)).read_to_end(&mut content));
    read.map_err(|error| InputError::new(error.to_string()).file(shown()))?;
    budget.take(content.len(), &shown())?;
    Ok(content.into())
}

fn embedded_files(
    directory: &'static Dir<'static>,
    base: &str,
    budget: &mut FileBudget,
    files: &mut FileMap,
) -> Result<(), InputError> {
    for entry in directory.entries() {
        match entry {
            DirEntry::Dir(inner) => embedded_files(inner, base, budget, files)?,
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                budget.take(file.contents().len(), &path)?;
                files.insert(path[base.len()..].trim_start_matches('/').to_owned(), file.contents().into());
            }
        }
    }
    Ok(())
}
