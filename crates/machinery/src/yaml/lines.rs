//! The first lines of documents, for messages.

/// Returns the line, from 1, on which the content of each document begins. Empty documents are left out.
///
/// A line that starts with `---` always ends a document, whatever its context.
pub fn document_lines(text: &str) -> Vec<u64> {
    let mut lines = Vec::new();
    let mut begun = false;
    for (number, line) in (1..).zip(text.lines()) {
        let content = match line.strip_prefix("---") {
            Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => {
                begun = false;
                rest
            }
            _ if line == "..." || (!begun && line.starts_with('%')) => {
                begun = false;
                continue;
            }
            _ => line,
        };
        let content = content.trim_start();
        if !begun && !content.is_empty() && !content.starts_with('#') {
            begun = true;
            lines.push(number);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::document_lines;

    #[test]
    fn documents_begin_where_their_content_does() {
        let text =
            "# head\n\na: 1\nb: |\n  --- no end\n---\n# only a comment\n---\n\nc: 2\n--- {d: 3}\n...\n%YAML 1.2\n---\ne: 4\n";
        assert_eq!(document_lines(text), [3, 10, 11, 15]);
        assert_eq!(document_lines("---\r\na: 1\r\n---\r\nb: 2\r\n"), [2, 4]);
        assert!(document_lines("\n---\n# nothing\n").is_empty());
    }
}
