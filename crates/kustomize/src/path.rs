//! Paths in a tree of files: relative, separated by slashes, without `.` and `..`. The root is the empty path.

use crate::error::BuildProblem;

/// Returns the path that `relative` denotes in the directory `directory`.
pub(crate) fn join(directory: &str, relative: &str) -> Result<String, BuildProblem> {
    if relative.starts_with('/') {
        return Err(BuildProblem(format!("the path {relative:?} is absolute; paths must be relative to the kustomization")));
    }
    let mut steps: Vec<&str> = directory.split('/').filter(|step| !step.is_empty()).collect();
    for step in relative.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                if steps.pop().is_none() {
                    return Err(BuildProblem(format!("the path {relative:?} leaves the tree of files")));
                }
            }
            step if step.contains("..") => {
                return Err(BuildProblem(format!(
                    "the path {relative:?} is ambiguous; check the indentation of the kustomization"
                )));
            }
            step => steps.push(step),
        }
    }
    Ok(steps.join("/"))
}

/// Returns true if `path` is `directory` or lies in it.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the last step of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true for a reference to something outside of the tree: a URL, or a repository.
pub(crate) fn is_remote(reference: &str) -> bool {
    let hosts = [
        "github.com/",
        "github.com:",
        "gitlab.com/",
        "bitbucket.org/",
        "dev.azure.com/",
        "ssh.dev.azure.com",
        "git@",
        "git::",
        "gh:",
    ];
    let lower = reference.to_ascii_lowercase();
    lower.contains("://")
        || lower.contains("?ref=")
        || lower.contains(".git/")
        || hosts.iter().any(|host| lower.starts_with(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_without_dots() {
        assert_eq!(join("a/b", "../c/./d/").unwrap(), "a/c/d");
        assert_eq!(join("", "a").unwrap(), "a");
        assert_eq!(join("a", "..").unwrap(), "");
    }

    #[test]
    fn paths_neither_leave_the_tree_nor_are_absolute_or_ambiguous() {
        assert!(join("a", "../../b").unwrap_err().0.contains("leaves the tree"));
        assert!(join("a", "/etc/passwd").unwrap_err().0.contains("absolute"));
        assert!(join("a", "../base - ../b").unwrap_err().0.contains("ambiguous"));
    }

    #[test]
    fn directories_contain_whole_steps_only() {
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("a", ""));
        assert!(!is_within("ab", "a") && !is_within("a", "a/b"));
    }

    #[test]
    fn urls_and_repositories_are_remote() {
        for reference in ["https://example.com/a.yaml", "github.com/a/b", "git@example.com:a/b.git", "a/b?ref=v1"] {
            assert!(is_remote(reference), "{reference}");
        }
        assert!(!is_remote("../base") && !is_remote("github.company/base"));
    }
}
