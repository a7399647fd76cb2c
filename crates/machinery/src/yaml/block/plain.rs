//! Plain scalars, and keys.

use std::borrow::Cow;

use memchr::memchr3;

use super::lines::BlockReader;
use crate::yaml::compose::GoYaml;
use crate::yaml::key::key_text;
use crate::yaml::scalar::PlainScalar;

/// The length up to which keys are read, in bytes. YAML allows 1,024 characters.
pub(super) const LONGEST_KEY: usize = 1000;

/// The end of a plain text on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlainEnd {
    /// The colon behind a key.
    Colon,
    Comment,
    Line,
}

/// A plain text on a line.
struct PlainLine<'a> {
    /// The text without spaces at its end.
    text: &'a str,
    /// The offset of the end.
    stop: usize,
    end: PlainEnd,
}

impl<'a> BlockReader<'a> {
    /// Reads a key and the colon behind it.
    pub(super) fn key(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at;
        let key = if matches!(self.byte(), Some(b'"' | b'\'')) {
            let key = self.quoted(false)?;
            self.pass_spaces();
            if self.byte() != Some(b':') || !self.is_blank_at(self.at + 1) {
                return None;
            }
            key
        } else {
            if !self.starts_plain() {
                return None;
            }
            let line = self.plain_line(self.at);
            if line.end != PlainEnd::Colon {
                return None;
            }
            self.at = line.stop;
            self.plain_key(line.text)?
        };
        if self.at - start > LONGEST_KEY {
            return None;
        }
        self.at += 1;
        Some(key)
    }

    /// Returns the text of a plain key, and `None` for a merge.
    pub(super) fn plain_key(&self, text: &'a str) -> Option<Cow<'a, str>> {
        if text == "<<" {
            return None;
        }
        match self.version {
            GoYaml::V2 => match PlainScalar::resolve(text) {
                PlainScalar::Text => Some(text.into()),
                scalar => key_text(scalar.value(text)).ok().map(Cow::Owned),
            },
            GoYaml::V3 => Some(text.into()),
        }
    }

    /// Reads a plain scalar inside a collection of this column. Its lines are joined, and the reader goes to the next node.
    pub(super) fn plain(&mut self, parent: usize) -> Option<Cow<'a, str>> {
        if !self.starts_plain() {
            return None;
        }
        let mut line = self.plain_line(self.at);
        let mut text = Cow::Borrowed(line.text);
        loop {
            self.at = line.stop;
            match line.end {
                PlainEnd::Colon => return None,
                PlainEnd::Comment => {
                    self.end_line()?;
                    return Some(text);
                }
                PlainEnd::Line => {}
            }
            let Some((start, blank_lines)) = self.continuation(parent) else {
                self.end_line()?;
                return Some(text);
            };
            line = self.plain_line(start);
            let joined = text.to_mut();
            join(joined, blank_lines);
            joined.push_str(line.text);
        }
    }

    /// Returns the offset of the line that continues a plain scalar, and the number of blank lines before it.
    fn continuation(&self, parent: usize) -> Option<(usize, usize)> {
        let (mut line, mut blank_lines) = (self.at + 1, 0);
        loop {
            if line >= self.text.len() {
                return None;
            }
            let spaces = self.spaces_at(line);
            let start = line + spaces;
            match self.byte_at(start)? {
                b'\n' => {
                    blank_lines += 1;
                    line = start + 1;
                }
                b'#' => return None,
                _ => return (spaces >= parent).then_some((start, blank_lines)),
            }
        }
    }

    /// Returns true if a plain scalar may begin at the next byte.
    fn starts_plain(&self) -> bool {
        match self.byte() {
            Some(b'-' | b'?' | b':') => !self.is_blank_at(self.at + 1),
            Some(
                b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`',
            )
            | None => false,
            Some(_) => true,
        }
    }

    fn plain_line(&self, start: usize) -> PlainLine<'a> {
        let bytes = self.text.as_bytes();
        let mut stop = start;
        let end = loop {
            stop += memchr3(b'\n', b':', b'#', &bytes[stop..]).unwrap_or(bytes.len() - stop);
            match bytes.get(stop) {
                None | Some(b'\n') => break PlainEnd::Line,
                Some(b':') if self.is_blank_at(stop + 1) => break PlainEnd::Colon,
                Some(b'#') if stop > 0 && bytes[stop - 1] == b' ' => break PlainEnd::Comment,
                Some(_) => stop += 1,
            }
        };
        PlainLine { text: self.text[start..stop].trim_end_matches(' '), stop, end }
    }
}

/// Joins the next line to a text: by a space, or by a line break for each blank line between.
pub(super) fn join(text: &mut String, blank_lines: usize) {
    if blank_lines == 0 {
        text.push(' ');
    }
    for _ in 0..blank_lines {
        text.push('\n');
    }
}
