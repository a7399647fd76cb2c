use std::fmt;

/// Several texts in one piece: a box for each would take twice the memory, and projections are what an operator has most of.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Texts<const N: usize> {
    all: Box<str>,
    ends: [u32; N],
}

impl<const N: usize> Texts<N> {
    pub(super) fn of(texts: [&str; N]) -> Self {
        let mut all = String::with_capacity(texts.iter().map(|text| text.len()).sum());
        let ends = texts.map(|text| {
            all.push_str(text);
            all.len() as u32
        });
        Self { all: all.into(), ends }
    }

    /// The text at a place, empty when there is none.
    pub(super) fn get(&self, place: usize) -> &str {
        let end = |place: usize| self.ends.get(place).map_or(0, |end| *end as usize);
        let start = place.checked_sub(1).map_or(0, end);
        self.all.get(start..end(place)).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Debug for Texts<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..N).map(|place| self.get(place))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_again() {
        let texts = Texts::of(["a", "", "üb"]);
        assert_eq!([0, 1, 2, 3].map(|place| texts.get(place)), ["a", "", "üb", ""]);
        assert_ne!(texts, Texts::of(["", "a", "üb"]));
    }
}
