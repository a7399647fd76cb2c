//! A directory of templates, as the author of an operator names it.

use std::path::Path;

use include_dir::Dir;

use super::source::FileSource;
use crate::file_map::join;
use crate::{InputError, RenderError};

/// A directory in a tree of files; or the problem with it, which the generator reports when it is checked.
#[derive(Debug)]
pub(crate) struct TemplateDirectory(Result<(FileSource, String), String>);

impl TemplateDirectory {
    /// Returns a directory in one that the program embeds.
    pub(crate) fn embedded(directory: &'static Dir<'static>, path: &str) -> Self {
        Self::new(Ok(FileSource::Embedded(directory)), path)
    }

    /// Returns a directory on the disk.
    pub(crate) fn disk(path: &Path) -> Self {
        match FileSource::disk(path) {
            Ok((source, path)) => Self::new(Ok(source), &path),
            Err(error) => Self::new(Err(error), ""),
        }
    }

    /// Returns a directory in a tree of files in memory, which are given by their paths.
    pub(crate) fn memory(files: impl IntoIterator<Item = (impl Into<String>, impl Into<Vec<u8>>)>, path: &str) -> Self {
        let files = files.into_iter().map(|(path, content)| (path.into(), content.into()));
        Self::new(FileSource::memory(files), path)
    }

    fn new(source: Result<FileSource, InputError>, path: &str) -> Self {
        let outside = || InputError::new("the path of the directory is absolute, or leaves the tree of files").file(path);
        let found = source.and_then(|source| Ok((source, join("", path).ok_or_else(outside)?)));
        Self(found.map_err(|error| error.to_string()))
    }

    /// Returns the tree of files, and the path of the directory in it.
    pub(crate) fn get(&self) -> Result<(&FileSource, &str), RenderError> {
        match &self.0 {
            Ok((source, path)) => Ok((source, path)),
            Err(problem) => Err(RenderError::input(problem.clone())),
        }
    }
}
