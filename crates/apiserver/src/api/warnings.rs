//! Warnings that are sent with an answer.

/// The maximum length of all warnings, in characters.
const ROOM: usize = 4096;
/// The maximum length of each warning, in characters, if not all of them fit in full.
const LONGEST: usize = 256;

/// The warnings of an answer, without duplicates. They are sent in full as long as all of them fit; otherwise long ones are cut, and those beyond the
/// limit are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    texts: Vec<String>,
    /// The length of all warnings in the form in which they are sent, in characters.
    taken: usize,
    is_cut: bool,
}

impl Warnings {
    /// Adds a text.
    pub(crate) fn add(&mut self, text: impl Into<String>) {
        let text = text.into();
        if text.is_empty() || self.is_cut && self.taken >= ROOM || self.texts.contains(&text) {
            return;
        }
        if !self.is_cut && self.taken + length(&text) > ROOM {
            self.is_cut = true;
            self.taken = self.texts.iter().map(|text| length(text).min(LONGEST)).sum();
        }
        self.taken += if self.is_cut { length(&text).min(LONGEST) } else { length(&text) };
        self.texts.push(text);
    }

    /// Moves the warnings of `others` to these.
    pub(crate) fn append(&mut self, others: &mut Self) {
        for text in std::mem::take(others).texts {
            self.add(text);
        }
    }

    /// Returns the texts in the form in which they are sent.
    pub(crate) fn told(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| if self.is_cut { cut(text) } else { text })
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: impl IntoIterator<Item = String>) -> Vec<String> {
        let mut warnings = Warnings::default();
        texts.into_iter().for_each(|text| warnings.add(text));
        warnings.told().map(str::to_owned).collect()
    }

    // DISC-14
    #[test]
    fn a_long_warning_is_sent_in_full_while_the_total_size_allows() {
        let long = "é".repeat(4096);
        assert_eq!(told([long.clone(), long.clone()]), [long]);
    }

    // DISC-14
    #[test]
    fn warnings_without_room_are_cut_and_the_last_left_out() {
        let lengths = |count: usize, length: usize| -> Vec<usize> {
            told((0..count).map(|index| format!("{index:03}{}", "é".repeat(length - 3))))
                .iter()
                .map(|text| text.chars().count())
                .collect()
        };
        assert_eq!(lengths(13, 300), [300; 13]);
        assert_eq!(lengths(14, 300), [256; 14]);
        assert_eq!(lengths(40, 300), [256; 16]);
        assert_eq!(lengths(40, 200), [200; 21]);
        assert_eq!(told(["x".repeat(4096), "y".to_owned()]), ["x".repeat(256), "y".to_owned()]);
    }
}
