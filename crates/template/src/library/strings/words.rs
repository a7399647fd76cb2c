//! The forms of names: camel case, snake case, kebab case, as the xstrings library of Go makes them.

use super::characters::{DecodedCharacter, decode, is_letter, is_punctuation, is_upper, to_lower, to_upper};
use crate::error::FunctionError;

/// The maximal length of a name that is split into words, in bytes: words take much more memory than a text.
const LONGEST_NAME: usize = 1 << 20;

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || c.is_whitespace()
}

/// Returns true for letters of alphabets; Chinese characters are none.
fn is_alphabetic(c: char) -> bool {
    is_letter(c) && !matches!(c, '\u{4e00}'..='\u{9fcc}' | '\u{3400}'..='\u{4d85}' | '\u{20000}'..='\u{2b81d}')
}

/// Joins the words of a name, each of which begins with a capital. Connectors at the beginning are kept, and all but the last of several.
pub(super) fn pascal_case(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    let mut current = None;
    for c in characters.by_ref() {
        if !is_connector(c) {
            current = Some((to_upper(c), is_upper(c)));
            break;
        }
        result.push(c);
    }
    let Some((mut current, mut is_capitalized)) = current else {
        // A name of connectors alone repeats the last one.
        result.extend(text.chars().last());
        return result;
    };
    for c in characters {
        let before = current;
        current = c;
        if is_connector(before) {
            if is_connector(c) {
                result.push(before);
            } else {
                is_capitalized = is_upper(c);
                current = to_upper(c);
            }
            continue;
        }
        // Capitals that follow the capital of a word are its small letters: GOLANG becomes Golang.
        if is_capitalized && is_upper(c) {
            current = to_lower(c);
        } else {
            is_capitalized = false;
        }
        result.push(before);
    }
    result.push(current);
    result
}

/// The kinds of words.
#[derive(Clone, Copy, PartialEq)]
enum WordKind {
    /// The end, or characters that cannot be read.
    Nothing,
    Number,
    /// A word that begins with a capital, or capitals.
    Capitalized,
    Alphabetic,
    Connector,
    Punctuation,
    Other,
}

/// A part of a name.
#[derive(Clone, Copy)]
struct NameWord<'a> {
    kind: WordKind,
    characters: &'a [DecodedCharacter],
}

/// Returns the words of a name in lower case, with a connector between them. A number belongs to the word before it if a capital or nothing follows.
pub(super) fn separated(bytes: &[u8], connector: char) -> Result<Vec<u8>, FunctionError> {
    if bytes.len() > LONGEST_NAME {
        return Err(FunctionError::new(format!(
            "name of {} bytes is longer than the limit of {LONGEST_NAME} bytes",
            bytes.len()
        )));
    }
    let characters: Vec<DecodedCharacter> = decode(bytes).collect();
    let words = split_words(&characters);
    let word = |at: usize| words.get(at).copied().unwrap_or(NameWord { kind: WordKind::Nothing, characters: &[] });
    let ends = |kind: WordKind| matches!(kind, WordKind::Connector | WordKind::Punctuation);
    let mut result = NameWriter { bytes, connector, output: Vec::with_capacity(bytes.len() * 2) };
    // Writes words as long as they continue a number.
    let write_joined = |result: &mut NameWriter<'_>, mut at: usize| {
        while matches!(word(at).kind, WordKind::Alphabetic | WordKind::Number) {
            result.word(word(at));
            at += 1;
        }
        if word(at).kind != WordKind::Nothing && !ends(word(at).kind) {
            result.character(connector);
        }
        at
    };
    let mut at = 0;
    while at + 1 < words.len() {
        let before = word(at);
        result.word(before);
        at += 1;
        match before.kind {
            WordKind::Number => at = write_joined(&mut result, at),
            WordKind::Connector | WordKind::Punctuation => {}
            _ if word(at).kind != WordKind::Number => {
                if !ends(word(at).kind) {
                    result.character(connector);
                }
            }
            _ if at + 1 == words.len() => {}
            _ if word(at + 1).kind == WordKind::Alphabetic => {
                result.character(connector);
                result.word(word(at));
                at = write_joined(&mut result, at + 1);
            }
            _ => {
                result.word(word(at));
                at += 1;
                if !ends(word(at).kind) {
                    result.character(connector);
                }
            }
        }
    }
    result.word(word(at));
    Ok(result.output)
}

/// The output of a name.
struct NameWriter<'a> {
    bytes: &'a [u8],
    connector: char,
    output: Vec<u8>,
}

impl NameWriter<'_> {
    fn character(&mut self, c: char) {
        self.output.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Writes a word: connectors as the connector, capitals in lower case, and all other characters as they are.
    fn word(&mut self, word: NameWord<'_>) {
        if !matches!(word.kind, WordKind::Capitalized | WordKind::Connector) {
            if let ([(start, ..), ..], [.., (_, end, _)]) = (word.characters, word.characters) {
                self.output.extend_from_slice(&self.bytes[*start..*end]);
            }
            return;
        }
        for (.., c) in word.characters {
            self.character(match *c {
                c if is_connector(c) => self.connector,
                c if is_upper(c) => to_lower(c),
                c => c,
            });
        }
    }
}

fn split_words(characters: &[DecodedCharacter]) -> Vec<NameWord<'_>> {
    let mut words = Vec::new();
    let mut rest = characters;
    while !rest.is_empty() {
        let (kind, count) = first_word(rest);
        let (characters, others) = rest.split_at(count);
        words.push(NameWord { kind, characters });
        rest = others;
    }
    words
}

/// Returns the kind and the number of characters of the first word. Characters that cannot be read belong to the one behind them.
fn first_word(characters: &[DecodedCharacter]) -> (WordKind, usize) {
    let is_readable = |c: &char| *c != char::REPLACEMENT_CHARACTER;
    let mut readable = characters.iter().enumerate().map(|(at, (.., c))| (at, *c)).filter(|(_, c)| is_readable(c));
    let Some((_, first)) = readable.next() else {
        return (WordKind::Nothing, characters.len());
    };
    let without_unreadable = |end: usize| {
        let last = characters[..end].iter().rposition(|(.., c)| is_readable(c));
        last.map_or(0, |at| at + 1)
    };
    let end_of = |is_part: &dyn Fn(char) -> bool| {
        let other = readable.clone().find(|(_, c)| !is_part(*c));
        other.map_or(characters.len(), |(at, _)| without_unreadable(at))
    };
    let is_small = |c: char| is_alphabetic(c) && !is_upper(c);
    if is_connector(first) {
        (WordKind::Connector, end_of(&is_connector))
    } else if is_punctuation(first) {
        (WordKind::Punctuation, end_of(&is_punctuation))
    } else if is_upper(first) {
        let length = match readable.clone().next() {
            Some((_, second)) if is_upper(second) => {
                let next = readable.clone().find(|(_, c)| !is_upper(*c));
                // The last capital belongs to the small letters that follow: HTTPStatus is HTTP and Status.
                let shares_last = next.is_some_and(|(_, c)| is_alphabetic(c));
                let end = end_of(&is_upper);
                if shares_last { without_unreadable(end - 1) } else { end }
            }
            Some((_, second)) if is_alphabetic(second) => end_of(&is_small),
            Some((at, _)) => without_unreadable(at),
            None => characters.len(),
        };
        (WordKind::Capitalized, length)
    } else if is_alphabetic(first) {
        (WordKind::Alphabetic, end_of(&is_small))
    } else if first.is_numeric() {
        (WordKind::Number, end_of(&char::is_numeric))
    } else {
        let is_other = |c: char| !is_connector(c) && !is_alphabetic(c) && !c.is_numeric() && !is_punctuation(c);
        (WordKind::Other, end_of(&is_other))
    }
}
