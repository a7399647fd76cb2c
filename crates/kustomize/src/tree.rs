//! Trees of files.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::{fs, io};

use crate::path::is_within;

/// The largest total size of the files of a directory, in bytes.
const LARGEST_TREE: u64 = 256 * 1024 * 1024;
/// The greatest depth of a directory.
const DEEPEST_TREE: usize = 100;

/// The files that a build may read. Paths are relative to the root, separated by slashes, without `.`, `..`, and slashes at their ends.
pub trait FileTree {
    /// Returns the content of a file, or `None` if there is none of this path.
    fn file(&self, path: &str) -> Option<&[u8]>;

    /// Returns true if a directory of this path exists. The root has the empty path.
    fn has_directory(&self, path: &str) -> bool;
}

impl<B: AsRef<[u8]>> FileTree for BTreeMap<String, B> {
    fn file(&self, path: &str) -> Option<&[u8]> {
        self.get(path).map(AsRef::as_ref)
    }

    fn has_directory(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        let next = self.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded)).next();
        path.is_empty() || next.is_some_and(|(file, _)| file != path && is_within(file, path))
    }
}

/// Reads all regular files below a directory into a tree. Links are not followed. A tree of more than 256 MiB, or of more than 100 levels, is an error.
pub fn read_directory(directory: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut total = 0;
    read_into(&mut files, &mut total, directory, "", 0)?;
    Ok(files)
}

fn read_into(
    files: &mut BTreeMap<String, Vec<u8>>,
    total: &mut u64,
    directory: &Path,
    prefix: &str,
    depth: usize,
) -> io::Result<()> {
    let too_large = |what: String| io::Error::new(io::ErrorKind::FileTooLarge, what);
    if depth > DEEPEST_TREE {
        return Err(too_large(format!("{} is nested more than {DEEPEST_TREE} directories deep", directory.display())));
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let name = entry.file_name().into_string().map_err(|name| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the name of the file {} is not UTF-8", Path::new(&name).display()),
            )
        })?;
        if kind.is_dir() {
            read_into(files, total, &path, &format!("{prefix}{name}/"), depth + 1)?;
        } else if kind.is_file() {
            *total += entry.metadata()?.len();
            if *total > LARGEST_TREE {
                return Err(too_large(format!("the files are larger than {LARGEST_TREE} bytes in total at {}", path.display())));
            }
            files.insert(format!("{prefix}{name}"), fs::read(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_the_directories_of_its_files() {
        let files = BTreeMap::from([("a/b/c".to_owned(), Vec::new()), ("ab".to_owned(), Vec::new())]);
        assert!(files.has_directory("") && files.has_directory("a") && files.has_directory("a/b"));
        assert!(!files.has_directory("ab") && !files.has_directory("a/b/c") && !files.has_directory("b"));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_not_followed() {
        let directory = std::env::temp_dir().join(format!("kubewright-kustomize-{}", std::process::id()));
        fs::create_dir_all(directory.join("sub")).unwrap();
        fs::write(directory.join("sub/file"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", directory.join("link")).unwrap();
        let files = read_directory(&directory);
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(files.unwrap(), BTreeMap::from([("sub/file".to_owned(), b"x".to_vec())]));
    }
}
