use std::cmp::Ordering;
use std::fmt;

use super::projection::cut;

/// The longest text, in bytes. No text that a server keeps in an object's metadata comes near it.
const LONGEST: usize = 1 << 20;
/// The start of the 2,048 surrogate code points, which are not characters. Lengths from here on are moved behind them.
const GAP: u32 = 0xD800;

/// Several texts in one allocation: a box for each would take twice the memory, and projections are the most numerous objects of an operator. The
/// lengths of the texts come first, each encoded as one character, which takes one byte for a short text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PackedTexts<const N: usize>(Box<str>);

impl<const N: usize> PackedTexts<N> {
    pub(super) fn of(texts: [&str; N]) -> Self {
        let texts = texts.map(|text| cut(text, LONGEST));
        let mut all = String::with_capacity(texts.iter().map(|text| text.len() + 2).sum());
        all.extend(texts.iter().map(|text| character(text.len())));
        all.extend(texts);
        Self(all.into())
    }

    /// Returns the text at an index, empty if there is none.
    pub(super) fn get(&self, index: usize) -> &str {
        let (mut start, mut length) = (0, 0);
        for (at, character) in self.0.chars().take(N).enumerate() {
            start += character.len_utf8();
            match at.cmp(&index) {
                Ordering::Less => start += number(character),
                Ordering::Equal => length = number(character),
                Ordering::Greater => {}
            }
        }
        self.0.get(start..start + length).unwrap_or_default()
    }
}

/// Encodes a length up to [`LONGEST`] as a character.
fn character(length: usize) -> char {
    let length = length as u32;
    char::from_u32(if length < GAP { length } else { length + 0x800 }).unwrap_or_default()
}

fn number(character: char) -> usize {
    let code = u32::from(character);
    (if code < GAP { code } else { code - 0x800 }) as usize
}

impl<const N: usize> fmt::Debug for PackedTexts<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..N).map(|index| self.get(index))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_again() {
        let texts = PackedTexts::of(["a", "", "üb"]);
        assert_eq!([0, 1, 2, 3].map(|index| texts.get(index)), ["a", "", "üb", ""]);
        assert_ne!(texts, PackedTexts::of(["", "a", "üb"]));
    }

    #[test]
    fn texts_of_all_lengths_are_found_again() {
        for length in [0, 1, 127, 128, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0x10000, LONGEST] {
            let long = "a".repeat(length);
            let texts = PackedTexts::of(["b", &long, "c"]);
            assert_eq!([texts.get(0), texts.get(2)], ["b", "c"], "{length}");
            assert_eq!(texts.get(1).len(), length);
        }
        let texts = PackedTexts::of([&*"a".repeat(LONGEST + 1), "b"]);
        assert_eq!((texts.get(0).len(), texts.get(1)), (LONGEST, "b"));
    }
}
