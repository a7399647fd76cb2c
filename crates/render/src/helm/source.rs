//! The sources of charts (HELM-1).

use std::path::PathBuf;
use std::sync::Arc;

use include_dir::{Dir, File};
use kubewright_chart::{Chart, ChartError, ChartLoader};

/// The source of a chart. Copies are cheap.
#[derive(Clone, Debug)]
pub(super) enum ChartSource {
    /// A directory that the program embeds.
    Embedded(&'static Dir<'static>),
    /// A directory or an archive.
    Path(Arc<PathBuf>),
    /// The bytes of an archive.
    Archive(Arc<[u8]>),
    /// Files by their paths below the directory of the chart.
    Files(Arc<[(String, Vec<u8>)]>),
}

impl ChartSource {
    pub(super) fn load(&self, loader: &ChartLoader) -> Result<Chart, ChartError> {
        match self {
            Self::Embedded(directory) => {
                let mut files = Vec::new();
                add_files(directory, &mut files);
                loader.embedded(files.iter().map(|file| (file.path().to_string_lossy(), file.contents())))
            }
            Self::Path(path) => loader.path(&**path),
            Self::Archive(bytes) => loader.archive(bytes),
            Self::Files(files) => loader.files(files.iter().map(|(path, content)| (path, content))),
        }
    }
}

/// Adds the files of a directory and of those in it.
fn add_files(directory: &'static Dir<'static>, files: &mut Vec<&'static File<'static>>) {
    files.extend(directory.files());
    for inner in directory.dirs() {
        add_files(inner, files);
    }
}
