//! The place of the reader in the lines of a text.

use memchr::{memchr, memchr3_iter};

use crate::yaml::compose::GoYaml;
use crate::yaml::read::{DEPTH, NODES};

/// A reader of block collections.
pub(super) struct BlockReader<'a> {
    pub(super) text: &'a str,
    pub(super) version: GoYaml,
    /// The offset of the next byte.
    pub(super) at: usize,
    /// The offset of the present line.
    pub(super) line: usize,
    /// The column, from 1, of the node that begins at the next byte. It is 0 at the end of a document.
    pub(super) column: usize,
    /// The number of nodes so far.
    nodes: usize,
}

impl<'a> BlockReader<'a> {
    /// Creates a reader of a text without unusual characters.
    pub(super) fn new(text: &'a str, version: GoYaml) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if has_unusual_characters(text) {
            return None;
        }
        let mut reader = Self { text, version, at: 0, line: 0, column: 0, nodes: 0 };
        reader.seek_node();
        Some(reader)
    }

    /// Passes over the `---` in front of a document.
    pub(super) fn document_start(&mut self) -> Option<()> {
        if self.column == 0 && self.text[self.at..].starts_with("---") {
            self.at += "---".len();
            self.end_line()?;
        }
        // Empty documents are left to the other reader.
        (self.column > 0).then_some(())
    }

    /// Checks that the document ends here.
    pub(super) fn document_end(&self) -> Option<()> {
        (self.column == 0 && !self.text[self.at..].starts_with("...")).then_some(())
    }

    /// Returns true at the end of the text.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Returns the next byte.
    pub(super) fn byte(&self) -> Option<u8> {
        self.byte_at(self.at)
    }

    /// Returns the byte at an offset.
    pub(super) fn byte_at(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(offset).copied()
    }

    /// Returns true if a line or a word ends at an offset.
    pub(super) fn is_blank_at(&self, offset: usize) -> bool {
        matches!(self.byte_at(offset), None | Some(b' ' | b'\n'))
    }

    /// Returns the number of spaces at an offset.
    pub(super) fn spaces_at(&self, offset: usize) -> usize {
        self.text.as_bytes()[offset..].iter().take_while(|byte| **byte == b' ').count()
    }

    /// Returns the offset of the end of the line at an offset.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        memchr(b'\n', &self.text.as_bytes()[offset..]).map_or(self.text.len(), |length| offset + length)
    }

    /// Passes over spaces.
    pub(super) fn pass_spaces(&mut self) {
        self.at += self.spaces_at(self.at);
    }

    /// Returns true if only a comment may follow on the line.
    pub(super) fn is_at_line_end(&self) -> bool {
        matches!(self.byte(), None | Some(b'\n' | b'#'))
    }

    /// Passes over the rest of a line, in which only a comment may stand, and goes to the next node.
    pub(super) fn end_line(&mut self) -> Option<()> {
        let end = self.at;
        self.pass_spaces();
        match self.byte() {
            None | Some(b'\n') => {}
            Some(b'#') if self.at > end || self.byte_at(end.wrapping_sub(1)) == Some(b' ') => self.at = self.line_end(self.at),
            Some(_) => return None,
        }
        self.at = self.text.len().min(self.at + 1);
        self.seek_node();
        Some(())
    }

    /// Goes from the start of a line to the next node.
    pub(super) fn seek_node(&mut self) {
        loop {
            self.line = self.at;
            self.pass_spaces();
            match self.byte() {
                None => {
                    self.column = 0;
                    return;
                }
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.at = self.text.len().min(self.line_end(self.at) + 1),
                Some(_) => {
                    let is_marker = self.at == self.line && self.is_at_marker();
                    self.column = if is_marker { 0 } else { self.at - self.line + 1 };
                    return;
                }
            }
        }
    }

    /// Counts a node.
    pub(super) fn count(&mut self, depth: usize) -> Option<()> {
        self.nodes += 1;
        (depth <= DEPTH && self.nodes <= NODES).then_some(())
    }

    /// Returns true where a document begins or ends, at the start of a line.
    pub(super) fn is_at_marker(&self) -> bool {
        let rest = &self.text[self.at..];
        (rest.starts_with("---") || rest.starts_with("...")) && self.is_blank_at(self.at + 3)
    }
}

/// Returns true for a text with characters that have a meaning of their own, or may be errors: controls, line breaks that are no line feeds, and marks
/// of the byte order. Most texts have ASCII alone, which is seen many bytes at a time.
fn has_unusual_characters(text: &str) -> bool {
    let is_control = |byte: u8| (byte < b' ' && byte != b'\n') || byte == 0x7f;
    let bytes = text.as_bytes();
    if bytes.chunks(64).any(|chunk| chunk.iter().fold(false, |found, byte| found | is_control(*byte))) {
        return true;
    }
    // U+0080 to U+009F, U+2028 and U+2029, and those from U+F000 on.
    !text.is_ascii()
        && memchr3_iter(0xc2, 0xe2, 0xef, bytes).any(|start| match bytes[start] {
            0xc2 => bytes[start + 1] < 0xa0,
            0xe2 => bytes[start + 1] == 0x80 && matches!(bytes[start + 2], 0xa8 | 0xa9),
            _ => true,
        })
}
