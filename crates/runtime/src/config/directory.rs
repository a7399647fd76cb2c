//! The reading of a ConfigMap that is mounted as a volume.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The name of the link to the folder of the current version. The kubelet replaces it when the ConfigMap changes, and removes the former folder.
const CURRENT: &str = "..data";

/// Reads a folder as the data of a ConfigMap, for `FromConfigMap::from_data`: each file is a key with its content.
///
/// Folders, names that start with `..`, and contents that are not UTF-8 (these come from `binaryData`) are left out. In a volume that the kubelet manages all
/// files are of one version, even while it writes the next one.
pub fn read_dir(path: impl AsRef<Path>) -> io::Result<BTreeMap<String, String>> {
    let path = path.as_ref();
    loop {
        let version = match fs::canonicalize(path.join(CURRENT)) {
            Ok(version) => version,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return read_files(path),
            Err(error) => return Err(about(&path.join(CURRENT), error)),
        };
        let files = read_files(&version);
        let is_gone = files.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if is_gone && fs::canonicalize(path.join(CURRENT)).is_ok_and(|current| current != version) {
            continue;
        }
        return files;
    }
}

fn read_files(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut data = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| about(folder, error))? {
        let path = entry.map_err(|error| about(folder, error))?.path();
        // The keys of ConfigMaps are ASCII.
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with("..")) else { continue };
        // `metadata` follows links, and the files of volumes are links.
        if !fs::metadata(&path).map_err(|error| about(&path, error))?.is_file() {
            continue;
        }
        let content = fs::read(&path).map_err(|error| about(&path, error))?;
        if let Ok(text) = String::from_utf8(content) {
            data.insert(name.to_owned(), text);
        }
    }
    Ok(data)
}

fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("read configuration from {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("kubewright-config-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, content: impl AsRef<[u8]>) {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        fn data(&self) -> Vec<(String, String)> {
            read_dir(&self.0).unwrap().into_iter().collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn entries(entries: &[(&str, &str)]) -> Vec<(String, String)> {
        entries.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
    }

    // CFG-5
    #[test]
    fn files_of_a_folder_are_keys() {
        let folder = Folder::new("plain");
        folder.file("stable-window", "60s\n");
        folder.file("class.a", "");
        folder.file(".hidden", "a key too");
        folder.file("binary", [0xff, 0xfe]);
        folder.file("..stray", "x");
        folder.file("folder/file", "x");
        assert_eq!(folder.data(), entries(&[(".hidden", "a key too"), ("class.a", ""), ("stable-window", "60s\n")]));
    }

    // CFG-5
    #[cfg(unix)]
    #[test]
    fn a_volume_is_read_in_its_current_version() {
        use std::os::unix::fs::symlink;

        let folder = Folder::new("volume");
        folder.file("..2026_01/a", "old");
        folder.file("..2026_01/gone", "old");
        folder.file("..2026_02/a", "new");
        symlink("..2026_02", folder.0.join("..data")).unwrap();
        symlink("..data/a", folder.0.join("a")).unwrap();
        // The kubelet removes the links of deleted keys only after it has replaced the folder.
        symlink("..data/gone", folder.0.join("gone")).unwrap();
        assert_eq!(folder.data(), entries(&[("a", "new")]));
    }

    // CFG-5
    #[test]
    fn a_missing_folder_is_named() {
        let path = std::env::temp_dir().join("kubewright-config-missing");
        let error = read_dir(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with(&format!("read configuration from {}: ", path.display())), "{error}");
    }
}
