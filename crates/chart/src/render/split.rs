//! The split of outputs into documents.

use memchr::memmem;

use crate::compat::HelmCompat;

const MARK: &str = "---";
/// The white space of regular expressions in Go.
const BLANKS: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];

/// Returns the documents of a text. Helm 3 removes white space around them, Helm 4 that before them.
pub(super) fn split_documents(text: &str, compat: HelmCompat) -> Vec<&str> {
    match compat {
        HelmCompat::Helm3 => {
            pieces_of_helm_3(text.trim()).into_iter().filter(|document| !document.is_empty()).map(str::trim).collect()
        }
        HelmCompat::Helm4 => {
            let documents = pieces_of_helm_4(text.trim_start()).into_iter();
            documents.filter(|document| !document.trim().is_empty()).map(str::trim_start).collect()
        }
    }
}

/// Splits a text at the expression `(?:^|\s*\n)---\s*`, where `^` is the beginning of the text.
fn pieces_of_helm_3(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    if let Some(behind) = text.strip_prefix(MARK) {
        pieces.push("");
        rest = behind.trim_start_matches(BLANKS);
    }
    while let Some((piece, behind)) = rest.split_once("\n---") {
        pieces.push(piece.trim_end_matches(BLANKS));
        rest = behind.trim_start_matches(BLANKS);
    }
    pieces.push(rest);
    pieces
}

/// Splits a text at the expression `(?m)^---[ \t]*`.
fn pieces_of_helm_4(text: &str) -> Vec<&str> {
    let behind_mark = |line: usize| text.len() - text[line + MARK.len()..].trim_start_matches([' ', '\t']).len();
    let mut pieces = Vec::new();
    let mut start = 0;
    if text.starts_with(MARK) {
        pieces.push("");
        start = behind_mark(0);
    }
    for line in memmem::find_iter(text.as_bytes(), "\n---").map(|end| end + 1) {
        pieces.push(&text[start..line]);
        start = behind_mark(line);
    }
    pieces.push(&text[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn documents_are_split_at_lines_that_begin_with_dashes() {
        let text = "\n---\na: 1\n\n---  \nb: |+\n  x\n\n---apiVersion: v1\n---\n---\n";
        assert_eq!(split_documents(text, HelmCompat::Helm3), ["a: 1", "b: |+\n  x", "apiVersion: v1", "---"]);
        assert_eq!(split_documents(text, HelmCompat::Helm4), ["a: 1\n\n", "b: |+\n  x\n\n", "apiVersion: v1\n"]);
    }

    #[test]
    fn texts_are_split_like_the_expressions_of_helm() {
        let helm_3 = Regex::new(r"(?:^|[\t\n\x0c\r ]*\n)---[\t\n\x0c\r ]*").unwrap();
        let helm_4 = Regex::new(r"(?m)^---[ \t]*").unwrap();
        let parts = ["---", "\n", "-", " ", "\t", "\r", "a", "\u{b}"];
        // All texts of up to six parts.
        for number in 0..parts.len().pow(6) {
            let text: String = (0..6).map(|place| parts[number / parts.len().pow(place) % parts.len()]).collect();
            assert_eq!(pieces_of_helm_3(&text), helm_3.split(&text).collect::<Vec<_>>(), "{text:?}");
            assert_eq!(pieces_of_helm_4(&text), helm_4.split(&text).collect::<Vec<_>>(), "{text:?}");
        }
    }
}
