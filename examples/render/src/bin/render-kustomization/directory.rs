//! A directory whose files are read when a build asks for them.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use kubewright_kustomize::FileTree;

/// A directory on a disk. Only the directories on the way to files that are asked for are listed, and each file is read once. Links are not
/// followed.
#[derive(Debug)]
pub(crate) struct DirectoryTree {
    root: TreeDirectory,
    /// The first directory or file that could not be read.
    problem: RefCell<Option<String>>,
}

#[derive(Debug)]
struct TreeDirectory {
    path: PathBuf,
    entries: OnceCell<BTreeMap<String, TreeEntry>>,
}

#[derive(Debug)]
enum TreeEntry {
    Directory(TreeDirectory),
    File { path: PathBuf, content: OnceCell<Option<Vec<u8>>> },
}

impl DirectoryTree {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root: TreeDirectory::new(root), problem: RefCell::default() }
    }

    /// Returns the first problem of reading a file or a directory.
    pub(crate) fn into_problem(self) -> Option<String> {
        self.problem.into_inner()
    }

    fn entry(&self, path: &str) -> Option<&TreeEntry> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.entries(self.directory(directory)?).get(name)
    }

    fn directory(&self, path: &str) -> Option<&TreeDirectory> {
        let mut directory = &self.root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            match self.entries(directory).get(name)? {
                TreeEntry::Directory(inner) => directory = inner,
                TreeEntry::File { .. } => return None,
            }
        }
        Some(directory)
    }

    fn entries<'a>(&'a self, directory: &'a TreeDirectory) -> &'a BTreeMap<String, TreeEntry> {
        directory.entries.get_or_init(|| directory.list().unwrap_or_else(|error| self.fault(&directory.path, &error)))
    }

    /// Keeps the first problem.
    fn fault<T: Default>(&self, path: &Path, error: &io::Error) -> T {
        self.problem.borrow_mut().get_or_insert_with(|| format!("read {}: {error}", path.display()));
        T::default()
    }
}

impl TreeDirectory {
    const fn new(path: PathBuf) -> Self {
        Self { path, entries: OnceCell::new() }
    }

    /// Returns the files and directories. Names that are not UTF-8 cannot be referred to and are left out.
    fn list(&self) -> io::Result<BTreeMap<String, TreeEntry>> {
        let mut entries = BTreeMap::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            let Ok(name) = entry.file_name().into_string() else { continue };
            if kind.is_dir() {
                entries.insert(name, TreeEntry::Directory(Self::new(path)));
            } else if kind.is_file() {
                entries.insert(name, TreeEntry::File { path, content: OnceCell::new() });
            }
        }
        Ok(entries)
    }
}

impl FileTree for DirectoryTree {
    fn file(&self, path: &str) -> Option<&[u8]> {
        match self.entry(path)? {
            TreeEntry::Directory(_) => None,
            TreeEntry::File { path, content } => {
                let read = || fs::read(path).map_or_else(|error| self.fault(path, &error), Some);
                content.get_or_init(read).as_deref()
            }
        }
    }

    fn has_directory(&self, path: &str) -> bool {
        self.directory(path).is_some()
    }
}
