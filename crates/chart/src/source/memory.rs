//! Charts in memory, such as those that a program embeds.

use super::file::{ChartFile, without_mark};
use super::ignore::{IGNORE_FILE, IgnoreRules};
use super::limits::RemainingLimits;
use super::path::cleaned;
use crate::error::ChartError;

/// Returns files in the order of a walk through directories. Each is a pair of a path below the directory of the chart and a content.
pub(crate) fn read_memory<P: AsRef<str>, D: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (P, D)>,
    limits: &mut RemainingLimits,
) -> Result<Vec<ChartFile>, ChartError> {
    let mut read = Vec::new();
    for (path, data) in files {
        let (path, data) = (path.as_ref(), data.as_ref());
        let name = cleaned(path).map_err(|problem| ChartError::Archive(format!("{problem}: {path:?}")))?;
        limits.take(data.len() as u64)?;
        read.push(ChartFile::new(name, without_mark(data)));
    }
    read.sort_by(|left, right| left.name.split('/').cmp(right.name.split('/')));
    Ok(read)
}

/// Returns the files of a directory that are not ignored: neither they nor a directory in which they are.
pub(crate) fn without_ignored(files: Vec<ChartFile>) -> Result<Vec<ChartFile>, ChartError> {
    let own = files.iter().find(|file| &*file.name == IGNORE_FILE);
    let rules = IgnoreRules::parse(&own.map(|file| String::from_utf8_lossy(&file.data)).unwrap_or_default())?;
    let is_ignored = |name: &str| {
        let mut directories = name.match_indices('/').map(|(end, _)| &name[..end]);
        directories.any(|directory| rules.is_ignored(directory, true)) || rules.is_ignored(name, false)
    };
    Ok(files.into_iter().filter(|file| !is_ignored(&file.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::ChartLimits;

    fn names(paths: &[&str], limits: ChartLimits) -> Result<Vec<String>, String> {
        let files = read_memory(paths.iter().map(|path| (path, "text")), &mut RemainingLimits::new(limits));
        let files = files.map_err(|error| error.to_string())?;
        Ok(files.iter().map(|file| file.name.to_string()).collect())
    }

    #[test]
    fn files_are_sorted_by_names_within_a_directory() {
        let sorted = names(&["b", "a-b", "a/c", "a/b/d"], ChartLimits::default()).unwrap();
        assert_eq!(sorted, ["a/b/d", "a/c", "a-b", "b"]);
    }

    #[test]
    fn ignored_files_and_those_of_ignored_directories_are_left_out() {
        let rules = (".helmignore", "ci/\n*.bak\n");
        let files =
            [rules, ("Chart.yaml", ""), ("a.bak", ""), ("b/ci/c", ""), ("ci", ""), ("templates/.x", ""), ("templates/x", "")];
        let files = read_memory(files, &mut RemainingLimits::new(ChartLimits::default())).unwrap();
        let left: Vec<String> = without_ignored(files).unwrap().iter().map(|file| file.name.to_string()).collect();
        assert_eq!(left, [".helmignore", "Chart.yaml", "ci", "templates/x"]);
    }

    #[test]
    fn a_path_that_leaves_the_chart_is_refused_by_its_name() {
        let error = names(&["Chart.yaml", "templates/../../x"], ChartLimits::default()).unwrap_err();
        assert_eq!(error, "chart illegally references parent directory: \"templates/../../x\"");
    }

    #[test]
    fn files_beyond_the_limits_are_refused() {
        let limits = ChartLimits { size: 8, files: 2, ..ChartLimits::default() };
        assert!(names(&["a", "b"], limits).is_ok());
        let refused = [ChartLimits { files: 1, ..limits }, ChartLimits { size: 7, ..limits }];
        for limits in refused {
            let error = names(&["a", "b"], limits).unwrap_err();
            assert!(error.starts_with("decompressed chart is larger than the maximum size"), "{error}");
        }
    }
}
