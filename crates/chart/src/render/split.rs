//! The split of outputs into documents.

use std::sync::LazyLock;

use regex::Regex;

use crate::compat::HelmCompat;

const SEPARATOR_OF_HELM_3: &str = r"(?:^|[\t\n\x0c\r ]*\n)---[\t\n\x0c\r ]*";
const SEPARATOR_OF_HELM_4: &str = r"(?m)^---[ \t]*";

#[allow(clippy::unwrap_used, reason = "the patterns are constants, which tests compile")]
static SEPARATORS: LazyLock<[Regex; 2]> =
    LazyLock::new(|| [SEPARATOR_OF_HELM_3, SEPARATOR_OF_HELM_4].map(|pattern| Regex::new(pattern).unwrap()));

/// Returns the documents of a text. Helm 3 removes white space around them, Helm 4 that before them.
pub(super) fn split_documents(text: &str, compat: HelmCompat) -> Vec<&str> {
    match compat {
        HelmCompat::Helm3 => SEPARATORS[0].split(text.trim()).filter(|document| !document.is_empty()).map(str::trim).collect(),
        HelmCompat::Helm4 => {
            let documents = SEPARATORS[1].split(text.trim_start());
            documents.filter(|document| !document.trim().is_empty()).map(str::trim_start).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_split_at_lines_that_begin_with_dashes() {
        let text = "\n---\na: 1\n\n---  \nb: |+\n  x\n\n---apiVersion: v1\n---\n---\n";
        assert_eq!(split_documents(text, HelmCompat::Helm3), ["a: 1", "b: |+\n  x", "apiVersion: v1", "---"]);
        assert_eq!(split_documents(text, HelmCompat::Helm4), ["a: 1\n\n", "b: |+\n  x\n\n", "apiVersion: v1\n"]);
    }
}
