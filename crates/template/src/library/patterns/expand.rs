//! Replacements with references to groups: `$1`, `${1}`, `$name`, `${name}`, and `$$` for a dollar sign.

use crate::error::FunctionError;
use crate::library::limits;
use crate::library::strings::{is_digit, is_letter};

/// A parsed replacement.
pub(super) struct Replacement<'a> {
    parts: Vec<ReplacementPart<'a>>,
}

enum ReplacementPart<'a> {
    Literal(&'a [u8]),
    Group(usize),
    /// The groups of a name, of which the first that took part in the match counts.
    Named(Vec<usize>),
}

impl<'a> Replacement<'a> {
    /// Parses a replacement for an expression whose groups have these names. A dollar sign without a reference stands for itself.
    pub(super) fn parse(mut rest: &'a [u8], names: &[Option<String>]) -> Self {
        let mut parts = Vec::new();
        while let Some(at) = rest.iter().position(|byte| *byte == b'$') {
            parts.push(ReplacementPart::Literal(&rest[..at]));
            let dollar = &rest[at..=at];
            rest = &rest[at + 1..];
            if rest.first() == Some(&b'$') {
                parts.push(ReplacementPart::Literal(dollar));
                rest = &rest[1..];
            } else if let Some((name, length)) = reference(rest) {
                parts.push(group(&name, names));
                rest = &rest[length..];
            } else {
                parts.push(ReplacementPart::Literal(dollar));
            }
        }
        parts.push(ReplacementPart::Literal(rest));
        Self { parts }
    }

    /// Writes the replacement of a match whose groups a function returns.
    pub(super) fn write(&self, result: &mut Vec<u8>, text_of: impl Fn(usize) -> Option<&'a [u8]>) -> Result<(), FunctionError> {
        for part in &self.parts {
            result.extend_from_slice(match part {
                ReplacementPart::Literal(text) => text,
                ReplacementPart::Group(index) => text_of(*index).unwrap_or_default(),
                ReplacementPart::Named(indexes) => indexes.iter().find_map(|index| text_of(*index)).unwrap_or_default(),
            });
            limits::text_size(1, result.len())?;
        }
        Ok(())
    }
}

/// Returns the name behind a dollar sign, and the length of the reference; None if there is no name, or no end of its braces.
fn reference(rest: &[u8]) -> Option<(String, usize)> {
    let has_braces = rest.first() == Some(&b'{');
    let inner = if has_braces { &rest[1..] } else { rest };
    let text = inner.utf8_chunks().next()?.valid();
    let name: String = text.chars().take_while(|c| is_letter(*c) || is_digit(*c) || *c == '_').collect();
    if name.is_empty() || has_braces && inner.get(name.len()) != Some(&b'}') {
        return None;
    }
    let length = if has_braces { name.len() + 2 } else { name.len() };
    Some((name, length))
}

/// Returns the group of a name: a number without leading zeros is an index, other names are those of groups.
fn group<'a>(name: &str, names: &[Option<String>]) -> ReplacementPart<'a> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    match name.parse() {
        Ok(index) if is_number => ReplacementPart::Group(index),
        _ => {
            let named = names.iter().enumerate().filter(|(_, known)| known.as_deref() == Some(name));
            ReplacementPart::Named(named.map(|(index, _)| index).collect())
        }
    }
}
