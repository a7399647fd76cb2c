//! Blocks of text, with `|` and `>`.

use std::iter;

use super::lines::BlockReader;
use super::plain::join;

/// The treatment of the line breaks at the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chomping {
    /// One is kept.
    Clip,
    /// None is kept.
    Strip,
    /// All are kept.
    Keep,
}

impl<'a> BlockReader<'a> {
    /// Reads a block whose line breaks are kept, and goes to the next node.
    pub(super) fn literal(&mut self, parent: usize) -> Option<String> {
        let chomping = self.header()?;
        let text = self.block_lines(parent, chomping)?.concat();
        self.seek_node();
        Some(chomped(text, chomping))
    }

    /// Reads a block whose lines are joined, and goes to the next node.
    pub(super) fn folded(&mut self, parent: usize) -> Option<String> {
        let chomping = self.header()?;
        let mut text = String::new();
        let (mut blank_lines, mut has_break, mut has_begun) = (0, false, false);
        for line in self.block_lines(parent, chomping)? {
            let content = line.strip_suffix('\n').unwrap_or(line);
            if content.is_empty() {
                blank_lines += 1;
                continue;
            }
            // Lines that are indented further are not joined.
            if content.starts_with(' ') {
                return None;
            }
            if has_begun {
                join(&mut text, blank_lines);
            } else {
                text.extend(iter::repeat_n('\n', blank_lines));
            }
            text.push_str(content);
            (blank_lines, has_break, has_begun) = (0, content.len() < line.len(), true);
        }
        text.extend(iter::repeat_n('\n', blank_lines + usize::from(has_break)));
        self.seek_node();
        Some(chomped(text, chomping))
    }

    /// Reads the rest of the first line.
    fn header(&mut self) -> Option<Chomping> {
        self.at += 1;
        let chomping = match self.byte() {
            Some(b'-') => Chomping::Strip,
            Some(b'+') => Chomping::Keep,
            _ => Chomping::Clip,
        };
        if chomping != Chomping::Clip {
            self.at += 1;
        }
        let end = self.at;
        self.pass_spaces();
        match self.byte()? {
            b'\n' => {}
            b'#' if self.at > end => self.at = self.line_end(self.at),
            _ => return None,
        }
        self.at += 1;
        (self.at < self.text.len()).then_some(chomping)
    }

    /// Reads the lines of the block, without their indentation and with their line breaks.
    fn block_lines(&mut self, parent: usize, chomping: Chomping) -> Option<Vec<&'a str>> {
        let indentation = self.indentation(parent, chomping)?;
        let mut lines = Vec::new();
        while indentation > 0 && !self.is_at_end() {
            let spaces = self.spaces_at(self.at).min(indentation);
            let start = self.at + spaces;
            let end = match self.byte_at(start) {
                // A last line of spaces alone.
                None => return None,
                Some(b'\n') => start + 1,
                Some(_) if spaces < indentation => break,
                Some(_) => self.text.len().min(self.line_end(start) + 1),
            };
            lines.push(&self.text[start..end]);
            self.at = end;
        }
        Some(lines)
    }

    /// Returns the indentation of the block: that of the first line which is not blank, or 0 if that line is not to the right of the collection of a
    /// column. The block is empty then.
    fn indentation(&self, parent: usize, chomping: Chomping) -> Option<usize> {
        let (mut line, mut widest) = (self.at, 0);
        loop {
            let spaces = self.spaces_at(line);
            if self.byte_at(line + spaces)? != b'\n' {
                return if spaces >= parent {
                    (widest <= spaces).then_some(spaces)
                } else {
                    (widest == 0 && chomping != Chomping::Keep).then_some(0)
                };
            }
            widest = widest.max(spaces);
            line += spaces + 1;
        }
    }
}

fn chomped(mut text: String, chomping: Chomping) -> String {
    let length = text.trim_end_matches('\n').len();
    match chomping {
        Chomping::Keep => {}
        Chomping::Strip => text.truncate(length),
        Chomping::Clip => text.truncate(text.len().min(length + 1)),
    }
    text
}
