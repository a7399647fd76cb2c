//! Texts in which expressions search.

use std::borrow::Cow;
use std::ops::Range;

use kubewright_machinery::pattern::GoPattern;

use crate::value::GoString;

/// A text for searching. A byte that is no part of a character is found as U+FFFD, as in Go, and positions are those of the bytes.
pub(super) struct SearchedText<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
    /// The positions in the text and in the bytes after each replaced byte; empty if nothing was replaced.
    shifts: Vec<(usize, usize)>,
}

impl<'a> SearchedText<'a> {
    /// Prepares a text for searching.
    pub(super) fn new(text: &'a GoString) -> Self {
        let mut shifts = Vec::new();
        let (mut at, mut byte_at) = (0, 0);
        for chunk in text.as_bytes().utf8_chunks() {
            at += chunk.valid().len();
            byte_at += chunk.valid().len();
            for _ in chunk.invalid() {
                at += char::REPLACEMENT_CHARACTER.len_utf8();
                byte_at += 1;
                shifts.push((at, byte_at));
            }
        }
        Self { bytes: text.as_bytes(), text: text.to_text(), shifts }
    }

    /// Returns the bytes of a range.
    pub(super) fn part(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Returns true if an expression is found.
    pub(super) fn is_match(&self, pattern: &GoPattern) -> bool {
        pattern.regex.is_match(&self.text)
    }

    /// Returns the places of the first matches. An empty match directly behind another one is none.
    pub(super) fn find_all(&self, pattern: &GoPattern, most: usize) -> Vec<Range<usize>> {
        pattern.regex.find_iter(&self.text).take(most).map(|found| self.in_bytes(found.range())).collect()
    }

    /// Returns the places of the groups of each match, the whole match first; None for a group that took no part.
    pub(super) fn captures(&self, pattern: &GoPattern) -> impl Iterator<Item = Vec<Option<Range<usize>>>> {
        let matches = pattern.regex.captures_iter(&self.text);
        matches.map(|groups| groups.iter().map(|group| group.map(|group| self.in_bytes(group.range()))).collect())
    }

    fn in_bytes(&self, range: Range<usize>) -> Range<usize> {
        let position = |at: usize| match self.shifts.partition_point(|(text_at, _)| *text_at <= at) {
            0 => at,
            count => at - self.shifts[count - 1].0 + self.shifts[count - 1].1,
        };
        position(range.start)..position(range.end)
    }
}
