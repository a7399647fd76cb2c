//! The layout of documents.

use super::YamlDialect;
use super::node::YamlNode;
use super::scalar::{ScalarStyle, is_break, is_printable};
use crate::library::data::budget::EncodingBudget;

/// The column behind which the text of a scalar goes on in the next line.
const WIDTH: usize = 80;
/// The size, in bytes, of the longest key that stands on one line with its value.
const SIMPLE_KEY: usize = 128;

/// Returns the text of a document. The error is that of a text that is too large: indentation can make it many times as long as its values.
pub(super) fn write(node: &YamlNode, dialect: YamlDialect) -> Result<String, String> {
    let mut writer = YamlWriter { output: String::new(), column: 0, is_after_blank: true, is_indentation: true, dialect };
    writer.node(node, None, NodePlace::Root);
    writer.line(0);
    EncodingBudget::check_text(writer.output.len())?;
    Ok(writer.output)
}

/// The place of a node in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodePlace {
    Root,
    Item,
    /// A value, or a key that does not stand on one line with its value.
    Value,
    SimpleKey,
}

struct YamlWriter {
    output: String,
    /// The number of characters in the present line.
    column: usize,
    /// True if no blank is needed before a token.
    is_after_blank: bool,
    /// True if the present line has only blanks and the marks of items and keys.
    is_indentation: bool,
    dialect: YamlDialect,
}

impl YamlWriter {
    fn node(&mut self, node: &YamlNode, indent: Option<usize>, place: NodePlace) {
        if self.is_full() {
            return;
        }
        match node {
            YamlNode::Plain(text) => self.text_in(text, ScalarStyle::Plain, indent, place),
            YamlNode::Text(text) => self.text(text, indent, place),
            YamlNode::Binary(text) => {
                self.mark("!!binary", true, false, false);
                self.text_in(text, if text.contains('\n') { ScalarStyle::Literal } else { ScalarStyle::Plain }, indent, place);
            }
            YamlNode::Sequence(items) if items.is_empty() => self.mark("[]", true, false, false),
            YamlNode::Mapping(entries) if entries.is_empty() => self.mark("{}", true, false, false),
            YamlNode::Sequence(items) => {
                let is_level = self.dialect == YamlDialect::Kubernetes && place == NodePlace::Value && !self.is_indentation;
                let indent = if is_level { indent.unwrap_or(0) } else { deeper(indent) };
                for item in items {
                    self.line(indent);
                    self.mark("-", true, false, true);
                    self.node(item, Some(indent), NodePlace::Item);
                }
            }
            YamlNode::Mapping(entries) => {
                let indent = deeper(indent);
                for (key, value) in entries {
                    self.line(indent);
                    self.entry(key, value, indent);
                }
            }
        }
    }

    fn entry(&mut self, key: &YamlNode, value: &YamlNode, indent: usize) {
        let is_simple = match key {
            YamlNode::Plain(text) | YamlNode::Text(text) => text.len() <= SIMPLE_KEY && !text.contains(is_break),
            YamlNode::Binary(text) => "!!binary".len() + text.len() <= SIMPLE_KEY && !text.contains('\n'),
            YamlNode::Sequence(_) | YamlNode::Mapping(_) => false,
        };
        if is_simple {
            self.node(key, Some(indent), NodePlace::SimpleKey);
            self.mark(":", false, false, false);
        } else {
            self.mark("?", true, false, true);
            self.node(key, Some(indent), NodePlace::Value);
            self.line(indent);
            self.mark(":", true, false, true);
        }
        self.node(value, Some(indent), NodePlace::Value);
    }

    fn text(&mut self, text: &str, indent: Option<usize>, place: NodePlace) {
        let style = ScalarStyle::new(text, self.dialect, place == NodePlace::SimpleKey);
        self.text_in(text, style, indent, place);
    }

    fn text_in(&mut self, text: &str, style: ScalarStyle, indent: Option<usize>, place: NodePlace) {
        let inner = indent.map_or(2, |indent| indent + 2);
        let folds = place != NodePlace::SimpleKey && self.dialect == YamlDialect::Kubernetes;
        match style {
            ScalarStyle::Plain => self.plain(text, inner, folds),
            ScalarStyle::SingleQuoted => self.single_quoted(text, inner, folds),
            ScalarStyle::DoubleQuoted => self.double_quoted(text, inner, folds),
            ScalarStyle::Literal => self.literal(text, inner),
        }
    }

    fn plain(&mut self, text: &str, indent: usize, folds: bool) {
        if !self.is_after_blank {
            self.put(' ');
        }
        self.folded(text, indent, |_| folds);
        self.is_after_blank = false;
        self.is_indentation = false;
    }

    fn single_quoted(&mut self, text: &str, indent: usize, folds: bool) {
        self.mark("'", true, false, false);
        let text = text.replace('\'', "''");
        self.folded(&text, indent, |position| folds && position > 0 && position + 1 < text.len());
        self.mark("'", false, false, false);
    }

    /// Writes the characters of a text; single blanks behind the width become line breaks where that is allowed.
    fn folded(&mut self, text: &str, indent: usize, may_fold: impl Fn(usize) -> bool) {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
        if !text.is_empty() && self.column + text.len() <= WIDTH && text.bytes().all(is_plain) {
            self.put_text(text);
            self.is_indentation = false;
        } else {
            self.folded_characters(text, indent, may_fold);
        }
    }

    fn folded_characters(&mut self, text: &str, indent: usize, may_fold: impl Fn(usize) -> bool) {
        let (mut is_after_space, mut is_after_break) = (false, false);
        for (position, character) in text.char_indices() {
            if self.is_full() {
                return;
            }
            if character == ' ' {
                let is_single = !is_after_space && text.as_bytes().get(position + 1) != Some(&b' ');
                if is_single && self.column > WIDTH && may_fold(position) {
                    self.line(indent);
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else {
                if !is_after_break && character == '\n' {
                    self.put('\n');
                }
                self.character(character, indent, &mut is_after_break);
                is_after_space &= is_after_break;
            }
        }
    }

    fn double_quoted(&mut self, text: &str, indent: usize, folds: bool) {
        self.mark("\"", true, false, false);
        // A text that begins with a byte order mark has all its characters escaped.
        let escapes_all = text.starts_with('\u{feff}');
        let last = text.len().saturating_sub(1);
        let mut is_after_space = false;
        for (position, character) in text.char_indices() {
            if self.is_full() {
                return;
            }
            if escapes_all || !is_printable(character) || is_break(character) || matches!(character, '"' | '\\') {
                for character in escape(character).chars() {
                    self.put(character);
                }
                is_after_space = false;
            } else if character == ' ' {
                if folds && !is_after_space && self.column > WIDTH && position > 0 && position < last {
                    self.line(indent);
                    if text.as_bytes().get(position + 1) == Some(&b' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else {
                self.put(character);
                is_after_space = false;
            }
        }
        self.mark("\"", false, false, false);
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.mark("|", true, false, false);
        if text.starts_with(|first| first == ' ' || is_break(first)) {
            self.mark("2", false, false, false);
        }
        let mut backwards = text.chars().rev();
        match (backwards.next().is_some_and(is_break), backwards.next()) {
            (false, _) => self.mark("-", false, false, false),
            (true, None) => self.mark("+", false, false, false),
            (true, Some(before)) if is_break(before) => self.mark("+", false, false, false),
            (true, Some(_)) => {}
        }
        self.put('\n');
        self.is_indentation = true;
        self.is_after_blank = true;
        if text.contains(|character| character != '\n' && is_break(character)) {
            self.literal_characters(text, indent);
        } else {
            self.lines(text, indent);
        }
    }

    fn literal_characters(&mut self, text: &str, indent: usize) {
        let mut is_after_break = true;
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            self.character(character, indent, &mut is_after_break);
        }
    }

    /// Writes the lines of a text, each at the indentation. Empty lines have none.
    fn lines(&mut self, text: &str, indent: usize) {
        for line in text.split_inclusive('\n') {
            if self.is_full() {
                return;
            }
            let content = line.strip_suffix('\n').unwrap_or(line);
            if !content.is_empty() {
                self.line(indent);
                self.put_text(content);
                self.is_indentation = false;
            }
            if content.len() < line.len() {
                self.put('\n');
                self.is_indentation = true;
            }
        }
    }

    /// Writes a character of a text, at the indentation if a line break is before it.
    fn character(&mut self, character: char, indent: usize, is_after_break: &mut bool) {
        let is_break = is_break(character);
        if *is_after_break && !is_break {
            self.line(indent);
        }
        self.put(character);
        self.is_indentation = is_break;
        *is_after_break = is_break;
    }

    /// Begins a line at an indentation, or goes on in the present one if only its blanks and marks have been written.
    fn line(&mut self, indent: usize) {
        if !self.is_indentation || self.column > indent || (self.column == indent && !self.is_after_blank) {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
        self.is_after_blank = true;
        self.is_indentation = true;
    }

    /// Returns true if the text is too large, so that the rest of it need not be written.
    fn is_full(&self) -> bool {
        EncodingBudget::check_text(self.output.len()).is_err()
    }

    fn mark(&mut self, mark: &str, needs_blank: bool, is_blank: bool, is_indentation: bool) {
        if needs_blank && !self.is_after_blank {
            self.put(' ');
        }
        self.output.push_str(mark);
        self.column += mark.len();
        self.is_after_blank = is_blank;
        self.is_indentation &= is_indentation;
    }

    /// Writes a text without line breaks.
    fn put_text(&mut self, text: &str) {
        self.output.push_str(text);
        self.column += text.chars().count();
    }

    fn put(&mut self, character: char) {
        self.output.push(character);
        self.column = if is_break(character) { 0 } else { self.column + 1 };
    }
}

fn deeper(indent: Option<usize>) -> usize {
    indent.map_or(0, |indent| indent + 2)
}

/// Returns the escape of a character between double quotes.
fn escape(character: char) -> String {
    let letter = match character {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        '\0'..='\u{ff}' => return format!("\\x{:02X}", u32::from(character)),
        '\0'..='\u{ffff}' => return format!("\\u{:04X}", u32::from(character)),
        _ => return format!("\\U{:08X}", u32::from(character)),
    };
    format!("\\{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the output and the state of a writer behind a prefix.
    fn written(prefix: &str, write: impl FnOnce(&mut YamlWriter)) -> (String, usize, bool, bool) {
        let dialect = YamlDialect::Kubernetes;
        let mut writer = YamlWriter { output: String::new(), column: 0, is_after_blank: true, is_indentation: true, dialect };
        writer.mark(prefix, false, false, false);
        write(&mut writer);
        (writer.output, writer.column, writer.is_after_blank, writer.is_indentation)
    }

    #[test]
    fn lines_of_a_block_are_written_as_their_characters_would_be() {
        let parts = ["a", "\n", " ", "é", "bc"];
        for number in 0..parts.len().pow(6) {
            let text: String = (0..6).map(|place| parts[number / parts.len().pow(place) % parts.len()]).collect();
            let block = |write: fn(&mut YamlWriter, &str, usize)| {
                written("key: |", |writer| {
                    writer.put('\n');
                    (writer.is_indentation, writer.is_after_blank) = (true, true);
                    write(writer, &text, 4);
                })
            };
            assert_eq!(block(YamlWriter::lines), block(YamlWriter::literal_characters), "{text:?}");
        }
    }

    #[test]
    fn short_texts_are_written_as_their_characters_would_be() {
        for start in [0, 1, 40, WIDTH - 3, WIDTH, WIDTH + 1] {
            for words in [vec![], vec![1], vec![1, 1, 1], vec![30, 10], vec![WIDTH - 2, 1, 1], vec![WIDTH, 5], vec![2, WIDTH, 5]]
            {
                let text = words.iter().map(|length| "x".repeat(*length)).collect::<Vec<_>>().join(" ");
                let prefix = "p".repeat(start);
                let whole = written(&prefix, |writer| writer.folded(&text, 2, |_| true));
                let characters = written(&prefix, |writer| writer.folded_characters(&text, 2, |_| true));
                assert_eq!(whole, characters, "{start} {text:?}");
            }
        }
    }
}
