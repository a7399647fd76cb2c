//! The styles in which a text may be written.

use super::YamlDialect;
use super::resolve::is_ambiguous;

/// A style of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarStyle {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

impl ScalarStyle {
    /// Chooses the style of a text. A simple key is one line before a colon.
    pub(super) fn new(text: &str, dialect: YamlDialect, is_simple_key: bool) -> Self {
        let traits = TextTraits::new(text, dialect);
        let wanted = match () {
            () if text.contains('\n') => Self::Literal,
            () if is_simple_key && traits.has_breaks => Self::DoubleQuoted,
            () if is_ambiguous(text, dialect) => Self::DoubleQuoted,
            () => Self::Plain,
        };
        match wanted {
            Self::Plain if traits.allows_plain => Self::Plain,
            Self::Plain if traits.allows_single_quotes => Self::SingleQuoted,
            Self::Literal if traits.allows_literal && !is_simple_key => Self::Literal,
            _ => Self::DoubleQuoted,
        }
    }
}

/// The styles that the characters of a text allow.
#[derive(Debug)]
struct TextTraits {
    has_breaks: bool,
    allows_plain: bool,
    allows_single_quotes: bool,
    allows_literal: bool,
}

impl TextTraits {
    fn new(text: &str, dialect: YamlDialect) -> Self {
        let mut has_indicators = text.starts_with("---") || text.starts_with("...");
        let (mut has_breaks, mut has_special, mut has_tabs) = (false, false, false);
        let (mut has_space_after_break, mut has_break_after_space) = (false, false);
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let is_followed_by_blank = characters.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
            has_indicators |= match (previous, character) {
                (None, '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`') => true,
                (None, '?' | '-') | (_, ':') => is_followed_by_blank,
                (Some(before), '#') => is_blank(before),
                _ => false,
            };
            if character == '\t' && dialect == YamlDialect::Third {
                has_tabs = true;
            } else if !is_printable(character) {
                has_special = true;
            }
            let before = previous.unwrap_or('x');
            if character == ' ' {
                has_space_after_break |= is_break(before);
            } else if is_break(character) {
                has_breaks = true;
                has_break_after_space |= before == ' ';
            }
            previous = Some(character);
        }
        let is_padded =
            text.starts_with(|first| first == ' ' || is_break(first)) || text.ends_with(|last| last == ' ' || is_break(last));
        let is_difficult = has_break_after_space || has_special;
        Self {
            has_breaks,
            allows_plain: !has_indicators && !has_breaks && !is_padded && !is_difficult && !has_tabs,
            allows_single_quotes: !has_space_after_break && !is_difficult && !has_tabs,
            allows_literal: !text.is_empty() && !text.ends_with(' ') && !is_difficult,
        }
    }
}

/// Returns true for the line breaks of YAML 1.1.
pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true for the characters that can stand in a text without escape.
pub(super) fn is_printable(character: char) -> bool {
    // Characters outside of the basic plane are escaped, too.
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\0') || is_break(character)
}
