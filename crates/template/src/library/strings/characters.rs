//! Characters as Go's `unicode` package classifies and maps them: by general category, and one to one.

use std::sync::LazyLock;

use regex::Regex;

/// A class of characters outside of ASCII.
type CharacterClass = LazyLock<Regex>;

static LETTERS: CharacterClass = LazyLock::new(|| pattern(r"\p{L}"));
static UPPER: CharacterClass = LazyLock::new(|| pattern(r"\p{Lu}"));
static LOWER: CharacterClass = LazyLock::new(|| pattern(r"\p{Ll}"));
static TITLE: CharacterClass = LazyLock::new(|| pattern(r"\p{Lt}"));
static DIGITS: CharacterClass = LazyLock::new(|| pattern(r"\p{Nd}"));
static PUNCTUATION: CharacterClass = LazyLock::new(|| pattern(r"\p{P}"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant")
}

fn is_in(class: &CharacterClass, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

/// Returns true for letters.
pub(in crate::library) fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { is_in(&LETTERS, c) }
}

/// Returns true for letters in upper case.
pub(super) fn is_upper(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_uppercase() } else { is_in(&UPPER, c) }
}

/// Returns true for letters in lower case.
pub(super) fn is_lower(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_lowercase() } else { is_in(&LOWER, c) }
}

/// Returns true for letters in title case, which are single characters of two letters.
pub(super) fn is_title(c: char) -> bool {
    !c.is_ascii() && is_in(&TITLE, c)
}

/// Returns true for decimal digits.
pub(in crate::library) fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { is_in(&DIGITS, c) }
}

/// Returns true for punctuation, of which `$`, `+`, `<`, `=`, `>`, `^`, `` ` ``, `|` and `~` are no part.
pub(super) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c) } else { is_in(&PUNCTUATION, c) }
}

/// Returns the upper case of a character. Characters whose upper case is several characters have none, as in Go.
pub(super) fn to_upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => to_upper_with_iota(c),
    }
}

/// Returns the upper case of Greek letters with an iota below, which is a single character of Unicode, but not the one of its full mapping.
fn to_upper_with_iota(c: char) -> char {
    let distance = match c {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => 0,
    };
    char::from_u32(u32::from(c) + distance).unwrap_or(c)
}

/// Returns the lower case of a character.
pub(super) fn to_lower(c: char) -> char {
    // The only character whose full mapping has two characters is the dotted capital I, of which the first is the mapping of Go.
    c.to_lowercase().next().unwrap_or(c)
}

/// Returns the title case of a character: the upper case, but for characters of two letters, and Georgian, which has no title case.
pub(super) fn to_title(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => c,
        other => to_upper(other),
    }
}

/// The positions of a character's first byte and of the byte behind it, and the character.
pub(super) type DecodedCharacter = (usize, usize, char);

/// Returns the characters of bytes, each with the range of its bytes. A byte that is no part of a character is U+FFFD.
pub(super) fn decode(bytes: &[u8]) -> impl Iterator<Item = DecodedCharacter> {
    let mut start = 0;
    bytes.utf8_chunks().flat_map(move |chunk| {
        let valid_start = start;
        let invalid_start = start + chunk.valid().len();
        start = invalid_start + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(at, c)| (valid_start + at, valid_start + at + c.len_utf8(), c));
        valid.chain((invalid_start..start).map(|at| (at, at + 1, char::REPLACEMENT_CHARACTER)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_mapped_one_to_one() {
        assert_eq!(['ß', 'é', 'ᾳ', 'ᾀ', 'ŉ', 'ა'].map(to_upper), ['ß', 'É', 'ᾼ', 'ᾈ', 'ŉ', 'Ა']);
        assert_eq!(['İ', 'É', 'A'].map(to_lower), ['i', 'é', 'a']);
        assert_eq!(['ǆ', 'ა', 'a'].map(to_title), ['ǅ', 'ა', 'A']);
    }

    #[test]
    fn characters_are_classified_by_their_category() {
        assert!(is_letter('日') && !is_letter('Ⅷ') && is_upper('É') && !is_upper('Ⓐ') && is_lower('é') && !is_lower('ª'));
        assert!(is_title('ǅ') && is_digit('٣') && !is_digit('½') && is_punctuation('«') && !is_punctuation('+'));
    }

    #[test]
    fn bytes_that_are_no_characters_are_replaced_one_by_one() {
        let decoded: Vec<_> = decode(b"a\xe6\x97\xc3\xa9").collect();
        assert_eq!(decoded, [(0, 1, 'a'), (1, 2, '\u{fffd}'), (2, 3, '\u{fffd}'), (3, 5, 'é')]);
    }
}
