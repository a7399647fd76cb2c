//! Flow collections, whose scalars stand on one line each.

use std::borrow::Cow;

use super::form::NodeForm;
use super::lines::BlockReader;
use super::plain::LONGEST_KEY;

impl<'a> BlockReader<'a> {
    /// Reads a flow collection inside a block collection of a column, to the right of which its lines begin.
    pub(super) fn flow<N: NodeForm>(&mut self, parent: usize, depth: usize) -> Option<N> {
        self.count(depth)?;
        let is_sequence = self.byte() == Some(b'[');
        self.at += 1;
        if is_sequence {
            let mut items = N::Items::default();
            self.flow_parts(b']', parent, |reader| {
                N::push(&mut items, reader.flow_node(parent, depth + 1)?);
                Some(())
            })?;
            Some(N::sequence(items))
        } else {
            let mut fields = N::Fields::default();
            self.flow_parts(b'}', parent, |reader| {
                reader.count(depth + 1)?;
                let key = reader.flow_key(parent)?;
                let is_repeated = N::insert(&mut fields, key, reader.flow_node(parent, depth + 1)?);
                (!is_repeated || reader.version.allows_repeated_keys()).then_some(())
            })?;
            Some(N::mapping(fields))
        }
    }

    /// Reads the parts of a collection, and the bracket behind them.
    fn flow_parts(&mut self, close: u8, parent: usize, mut part: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.pass_lines(parent)?;
        while self.byte() != Some(close) {
            part(self)?;
            self.pass_lines(parent)?;
            match self.byte()? {
                b',' => self.at += 1,
                byte if byte == close => break,
                _ => return None,
            }
            self.pass_lines(parent)?;
        }
        self.at += 1;
        Some(())
    }

    /// Passes over spaces, line breaks and comments.
    fn pass_lines(&mut self, parent: usize) -> Option<()> {
        loop {
            let start = self.at;
            self.pass_spaces();
            match self.byte()? {
                b'\n' => self.at += 1,
                b'#' if self.at > start => self.at = self.line_end(self.at),
                _ => {
                    let is_first = start > 0 && self.byte_at(start - 1) == Some(b'\n');
                    let is_indented = self.at - start >= parent && (self.at > start || !self.is_at_marker());
                    return (!is_first || is_indented).then_some(());
                }
            }
        }
    }

    fn flow_node<N: NodeForm>(&mut self, parent: usize, depth: usize) -> Option<N> {
        match self.byte()? {
            b'[' | b'{' => self.flow(parent, depth),
            b'"' | b'\'' => {
                self.count(depth)?;
                self.quoted(false).map(N::text)
            }
            _ => {
                self.count(depth)?;
                let text = self.flow_plain()?;
                self.resolved(text)
            }
        }
    }

    /// Reads a key, the colon behind it, and the spaces behind that.
    fn flow_key(&mut self, parent: usize) -> Option<Cow<'a, str>> {
        let start = self.at;
        let is_quoted = matches!(self.byte(), Some(b'"' | b'\''));
        let key = if is_quoted {
            self.quoted(false)?
        } else {
            let text = self.flow_plain()?;
            self.plain_key(text)?
        };
        let is_key = self.byte() == Some(b':') && (is_quoted || self.is_blank_at(self.at + 1));
        if !is_key || self.at - start > LONGEST_KEY {
            return None;
        }
        self.at += 1;
        self.pass_lines(parent)?;
        Some(key)
    }

    /// Reads a plain scalar of usual characters.
    fn flow_plain(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let is_start = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.' | b'/' | b'$' | b'~' | b'<' | b'(' | b')' | b'+' | b'=' | b'^')
        };
        let first = bytes[start..].iter().take_while(|byte| **byte == b'-').count();
        if !self.byte_at(start + first).is_some_and(is_start) {
            return None;
        }
        let is_inside = |byte: u8| is_start(byte) || matches!(byte, b'-' | b'@' | b'*' | b'>' | b'%' | b';' | b' ');
        let length = bytes[start..].iter().take_while(|byte| is_inside(**byte)).count();
        self.at += length;
        Some(self.text[start..self.at].trim_end_matches(' '))
    }
}
