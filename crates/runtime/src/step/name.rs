//! The names of steps.

use std::fmt;

/// The name of a step: words of lower-case letters and digits with `-` between them, beginning with a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepName(&'static str);

impl StepName {
    /// Creates a name. An invalid name fails to compile if it is used in a constant, as in [`step!`](crate::step!) and [`Step::NAME`](super::Step::NAME).
    pub const fn constant(name: &'static str) -> Self {
        assert!(
            is_valid(name),
            "the name of a step has lower-case letters, digits and single `-` between them, such as `storage-class`"
        );
        Self(name)
    }

    /// Returns the name as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

const fn is_valid(name: &str) -> bool {
    let mut rest = name.as_bytes();
    // The previous character; the first character of a name follows the rule of a word, but must not be a digit.
    let mut before = None;
    while let [byte, tail @ ..] = rest {
        let is_fine = match (byte, before) {
            (b'a'..=b'z', _) => true,
            (b'0'..=b'9', Some(_)) => true,
            (b'-', Some(before)) => before != b'-' && !tail.is_empty(),
            _ => false,
        };
        if !is_fine {
            return false;
        }
        before = Some(*byte);
        rest = tail;
    }
    before.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    // STEP-10
    #[test]
    fn names_are_lower_case_words_with_single_hyphens() {
        for name in ["a", "validate", "storage-class", "phase-2", "v2"] {
            assert!(is_valid(name), "{name}");
        }
        for name in ["", "-", "a-", "-a", "a--b", "2nd", "Validate", "storage_class", "storage class", "größe"] {
            assert!(!is_valid(name), "{name}");
        }
    }
}
