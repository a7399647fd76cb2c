//! `.component-ignore`: files that are neither rendered nor copied (KUS-3).

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::InputError;

/// The name of the file.
pub(crate) const IGNORE_FILE: &str = ".component-ignore";

/// The rules of the file, in the syntax of `.gitignore`.
#[derive(Debug)]
pub(super) struct ComponentIgnore(Gitignore);

impl ComponentIgnore {
    /// Reads the rules. `file` is the path of the file, for errors.
    pub(super) fn read(content: &[u8], file: &str) -> Result<Self, InputError> {
        let text = std::str::from_utf8(content).map_err(|_| InputError::new("the file is not UTF-8").file(file))?;
        let mut builder = GitignoreBuilder::new("");
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let added = builder.add_line(None, line);
            added.map_err(|error| InputError::new(error.to_string()).file(file).line(index as u64 + 1))?;
        }
        let rules = builder.build().map_err(|error| InputError::new(error.to_string()).file(file))?;
        Ok(Self(rules))
    }

    /// Returns true if a file is ignored, or a directory in which it lies. As with git, a file in an ignored directory cannot be included again.
    pub(super) fn is_ignored(&self, path: &str) -> bool {
        let directories = path.match_indices('/').map(|(end, _)| &path[..end]);
        directories.into_iter().any(|directory| self.0.matched(directory, true).is_ignore())
            || self.0.matched(path, false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_the_syntax_of_gitignore() {
        let rules = ComponentIgnore::read(b"# docs\n*.md\n!keep.md\n/top\nbuild/\n!build/keep.md\na/**/z\n", "f").unwrap();
        for (path, expected) in [
            ("README.md", true),
            ("a/b.md", true),
            ("keep.md", false),
            ("top", true),
            ("a/top", false),
            ("build/x", true),
            ("a/build/x", true),
            ("build", false),
            ("build/keep.md", true),
            ("a/b/c/z", true),
            ("x.yaml", false),
        ] {
            assert_eq!(rules.is_ignored(path), expected, "{path}");
        }
    }

    #[test]
    fn a_malformed_rule_is_an_error_with_its_line() {
        let error = ComponentIgnore::read(b"*.md\n[z-a]\n", "a/.component-ignore").unwrap_err().to_string();
        assert!(error.starts_with("a/.component-ignore:2: "), "{error}");
    }
}
