//! The flags of one directive of `printf`, and padding by them.

/// The flags, width and precision of a directive.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrintFlags {
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`: structs with the names of fields.
    pub(super) names: bool,
    /// `%#v`: Go's syntax.
    pub(super) syntax: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

impl PrintFlags {
    /// Returns the flags without the padding by zeros.
    pub(super) fn without_zero(self) -> Self {
        Self { zero: false, ..self }
    }

    /// Returns the number of characters that are missing to the width.
    pub(super) fn missing(&self, text: &[u8]) -> usize {
        self.width.map_or(0, |width| width.saturating_sub(characters(text).count()))
    }

    /// Writes blanks, or zeros if those are asked for and stand on the left.
    pub(super) fn push_padding(&self, output: &mut Vec<u8>, count: usize) {
        let byte = if self.zero && !self.minus { b'0' } else { b' ' };
        output.extend(std::iter::repeat_n(byte, count));
    }

    /// Writes a text with padding to the width.
    pub(super) fn pad(&self, output: &mut Vec<u8>, text: &[u8]) {
        let missing = self.missing(text);
        if !self.minus {
            self.push_padding(output, missing);
        }
        output.extend_from_slice(text);
        if self.minus {
            self.push_padding(output, missing);
        }
    }

    /// Returns the start of a text, cut to the number of characters that the precision gives.
    pub(super) fn cut<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let Some(precision) = self.precision else { return text };
        let length = characters(text).take(precision).map(<[u8]>::len).sum();
        text.get(..length).unwrap_or(text)
    }
}

/// Returns the characters of a text; a byte that is no UTF-8 is one of its own.
pub(super) fn characters(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid();
        let characters = valid.char_indices().map(|(start, character)| &valid.as_bytes()[start..start + character.len_utf8()]);
        characters.chain(chunk.invalid().chunks(1))
    })
}
