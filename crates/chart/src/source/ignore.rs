//! `.helmignore`: files of a directory that do not belong to the chart.

use super::file::base_name;
use super::wildcard::Wildcard;
use crate::error::ChartError;

/// The name of the file with the rules.
pub(super) const IGNORE_FILE: &str = ".helmignore";

/// The rules of a `.helmignore`, and the one that always holds: hidden files of `templates/` are ignored.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    rules: Vec<IgnoreRule>,
}

#[derive(Debug)]
struct IgnoreRule {
    wildcard: Wildcard,
    /// True if the pattern is compared with the last part of a path alone.
    is_of_name: bool,
    is_negated: bool,
    must_be_directory: bool,
}

impl IgnoreRules {
    /// Reads the rules.
    pub(super) fn parse(text: &str) -> Result<Self, ChartError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().chain(["templates/.?*"]).map(str::trim);
        let rules = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(IgnoreRule::parse);
        Ok(Self { rules: rules.collect::<Result<_, _>>()? })
    }

    /// Returns true if a file or directory does not belong to the chart. The first rule that decides counts: one that matches, or a negated one that does
    /// not match.
    pub(super) fn is_ignored(&self, path: &str, is_directory: bool) -> bool {
        for rule in &self.rules {
            let is_match = rule.is_match(path);
            if rule.is_negated {
                if !is_match || rule.must_be_directory && !is_directory {
                    return true;
                }
            } else if is_match && (is_directory || !rule.must_be_directory) {
                return true;
            }
        }
        false
    }
}

fn failed(message: String) -> ChartError {
    ChartError::File { file: IGNORE_FILE.to_owned(), message }
}

impl IgnoreRule {
    fn parse(line: &str) -> Result<Self, ChartError> {
        if line.contains("**") {
            return Err(failed(format!("double-star (**) syntax is not supported, as in {line:?}")));
        }
        let bad = || failed(format!("syntax error in pattern {line:?}"));
        let (is_negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
        let (must_be_directory, pattern) = pattern.strip_suffix('/').map_or((false, pattern), |pattern| (true, pattern));
        let is_of_name = !pattern.contains('/');
        let wildcard = Wildcard::compile(pattern.strip_prefix('/').unwrap_or(pattern)).map_err(|_| bad())?;
        Ok(Self { wildcard, is_of_name, is_negated, must_be_directory })
    }

    fn is_match(&self, path: &str) -> bool {
        self.wildcard.is_match(if self.is_of_name { base_name(path) } else { path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(rules: &str, path: &str) -> bool {
        let (path, is_directory) = path.strip_suffix('/').map_or((path, false), |path| (path, true));
        IgnoreRules::parse(rules).unwrap().is_ignored(path, is_directory)
    }

    #[test]
    fn a_pattern_without_slash_matches_names_at_any_depth() {
        assert!(ignored("*.bak", "a/b/c.bak"));
        assert!(!ignored("*.bak", "a/b.bak/c"));
        assert!(ignored("# comment\n\n  .git  ", ".git/"));
    }

    #[test]
    fn slashes_anchor_a_pattern_or_ask_for_a_directory() {
        assert!(ignored("/ci", "ci/"));
        assert!(!ignored("/ci", "a/ci"));
        assert!(ignored("a/*.txt", "a/b.txt"));
        assert!(!ignored("a/*.txt", "b/a/b.txt"));
        assert!(ignored("ci/", "a/ci/"));
        assert!(!ignored("ci/", "a/ci"));
    }

    #[test]
    fn a_negated_pattern_ignores_all_that_it_does_not_match() {
        assert!(!ignored("!*.txt", "a.txt"));
        assert!(ignored("!*.txt", "a.yaml"));
        assert!(ignored("*.txt\n!a*", "a.txt"));
    }

    #[test]
    fn hidden_files_of_templates_are_always_ignored() {
        assert!(ignored("", "templates/.x.yaml"));
        assert!(!ignored("", "templates/x.yaml"));
        assert!(!ignored("", ".x.yaml"));
    }

    #[test]
    fn double_stars_are_not_supported() {
        let error = IgnoreRules::parse("a/**").unwrap_err();
        assert_eq!(error.to_string(), "cannot load .helmignore: double-star (**) syntax is not supported, as in \"a/**\"");
    }

    #[test]
    fn a_malformed_pattern_is_an_error() {
        let error = IgnoreRules::parse("# comment\n[a").unwrap_err();
        assert_eq!(error.to_string(), "cannot load .helmignore: syntax error in pattern \"[a\"");
    }
}
