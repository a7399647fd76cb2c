//! Files by their paths: relative, separated by slashes, without `.`.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The contents of files by their paths.
pub(crate) type FileMap = BTreeMap<String, Arc<[u8]>>;

/// Returns a relative path without `.`, empty steps, and `..`; only at its beginning `..` is left. None for an absolute path.
pub(crate) fn normal_path(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// Returns the path that a relative path denotes in a directory. None if it is absolute, or leaves the root.
pub(crate) fn join(directory: &str, relative: &str) -> Option<String> {
    if relative.starts_with('/') {
        return None;
    }
    normal_path(&format!("./{directory}/{relative}")).filter(|path| path != ".." && !path.starts_with("../"))
}

/// Returns true if a path is that of a directory, or lies in it. The root has the empty path.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the path relative to a directory, with `..` for each step out of it.
pub(crate) fn relative(path: &str, directory: &str) -> String {
    let common = common_directory(path, directory);
    let ups = steps(directory).skip(common).map(|_| "..");
    ups.chain(steps(path).skip(common)).collect::<Vec<_>>().join("/")
}

/// Returns the number of steps that two paths begin with.
fn common_directory(left: &str, right: &str) -> usize {
    steps(left).zip(steps(right)).take_while(|(left, right)| left == right).count()
}

/// Returns the deepest directory in which two directories lie.
pub(crate) fn common_ancestor(left: &str, right: &str) -> String {
    steps(left).take(common_directory(left, right)).collect::<Vec<_>>().join("/")
}

/// Returns the path of an entry of a directory.
pub(crate) fn entry_path(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns true if a path has a step that begins with a dot, as hidden files and directories have.
pub(crate) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|step| step.starts_with('.'))
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|step| !step.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_without_dots_and_stay_below_the_root() {
        assert_eq!(join("a/b", "../c/./d//").as_deref(), Some("a/c/d"));
        assert_eq!(join("", "a").as_deref(), Some("a"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
        for path in ["../../x", "/etc/passwd", "../..", "b/../../../x"] {
            assert_eq!(join("a", path), None, "{path}");
        }
    }

    #[test]
    fn a_path_can_be_told_from_another_directory() {
        assert_eq!(relative("a/base/x", "a/overlay"), "../base/x");
        assert_eq!(relative("a/b", "a"), "b");
        assert_eq!(relative("a", "a"), "");
        assert_eq!(relative("b", ""), "b");
        assert_eq!(common_ancestor("a/b/c", "a/bc"), "a");
        assert_eq!(common_ancestor("a", "b"), "");
    }

    #[test]
    fn directories_contain_whole_steps_only() {
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("a", ""));
        assert!(!is_within("ab", "a") && !is_within("a", "a/b"));
        assert!(is_hidden("a/.b/c") && is_hidden(".a") && !is_hidden("a.b/c"));
    }
}
