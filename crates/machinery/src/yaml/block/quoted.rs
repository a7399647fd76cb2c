//! Quoted scalars.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::lines::BlockReader;
use super::plain::join;

impl<'a> BlockReader<'a> {
    /// Reads a quoted scalar, which may have several lines or must have one.
    pub(super) fn quoted(&mut self, may_have_lines: bool) -> Option<Cow<'a, str>> {
        let (text, bytes, start) = (self.text, self.text.as_bytes(), self.at + 1);
        let mut end = start;
        let mut is_escaped = false;
        let is_single = self.byte() == Some(b'\'');
        if is_single {
            loop {
                end += memchr(b'\'', &bytes[end..])?;
                if bytes.get(end + 1) != Some(&b'\'') {
                    break;
                }
                is_escaped = true;
                end += 2;
            }
        } else {
            loop {
                end += memchr2(b'"', b'\\', bytes.get(end..)?)?;
                if bytes[end] == b'"' {
                    break;
                }
                is_escaped = true;
                end += 2;
            }
        }
        let written = &text[start..end];
        self.at = end + 1;
        let has_lines = memchr(b'\n', written.as_bytes()).is_some();
        if has_lines && !may_have_lines {
            return None;
        }
        let joined = if has_lines { Cow::Owned(joined_lines(written)?) } else { Cow::Borrowed(written) };
        match (is_escaped, is_single) {
            (false, _) => Some(joined),
            (true, true) => Some(joined.replace("''", "'").into()),
            (true, false) => unescaped(&joined).map(Cow::Owned),
        }
    }
}

/// Joins the lines of a quoted scalar. Returns `None` if a line break is escaped, or if a line begins as the end of a document does.
fn joined_lines(written: &str) -> Option<String> {
    let mut lines = written.split('\n').peekable();
    let first = lines.next()?;
    if first.ends_with('\\') {
        return None;
    }
    let mut text = first.trim_end_matches(' ').to_owned();
    let mut blank_lines = 0;
    while let Some(line) = lines.next() {
        let content = line.trim_start_matches(' ');
        let is_last = lines.peek().is_none();
        if content.is_empty() && !is_last {
            blank_lines += 1;
            continue;
        }
        if line.starts_with("---") || line.starts_with("...") || (!is_last && line.ends_with('\\')) {
            return None;
        }
        join(&mut text, blank_lines);
        blank_lines = 0;
        text.push_str(if is_last { content } else { content.trim_end_matches(' ') });
    }
    Some(text)
}

/// Replaces the usual escapes of a text in double quotes.
fn unescaped(written: &str) -> Option<String> {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(start) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..start]);
        text.push(match rest.as_bytes().get(start + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            _ => return None,
        });
        rest = &rest[start + 2..];
    }
    text.push_str(rest);
    Some(text)
}
