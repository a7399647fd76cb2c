//! Patterns of `.helmignore`, with the syntax of Go's `filepath.Match`: `*`, `?`, `[…]` and `\`, none of which matches `/`.

/// A malformed pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadWildcard;

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WildcardElement {
    Character(char),
    Any,
    Star,
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wildcard {
    elements: Vec<WildcardElement>,
}

impl Wildcard {
    /// Compiles a pattern.
    pub(super) fn compile(text: &str) -> Result<Self, BadWildcard> {
        let mut characters = text.chars().peekable();
        let mut elements = Vec::new();
        while let Some(character) = characters.next() {
            elements.push(match character {
                '*' => WildcardElement::Star,
                '?' => WildcardElement::Any,
                '\\' => WildcardElement::Character(characters.next().ok_or(BadWildcard)?),
                '[' => {
                    let is_negated = characters.next_if_eq(&'^').is_some();
                    let mut ranges = Vec::new();
                    while ranges.is_empty() || characters.next_if_eq(&']').is_none() {
                        let mut bound = || match characters.next() {
                            None | Some('-' | ']') => Err(BadWildcard),
                            Some('\\') => characters.next().ok_or(BadWildcard),
                            Some(character) => Ok(character),
                        };
                        let first = bound()?;
                        let last = if characters.next_if_eq(&'-').is_some() {
                            match characters.next() {
                                None | Some('-' | ']') => return Err(BadWildcard),
                                Some('\\') => characters.next().ok_or(BadWildcard)?,
                                Some(character) => character,
                            }
                        } else {
                            first
                        };
                        ranges.push((first, last));
                    }
                    WildcardElement::Class { is_negated, ranges }
                }
                other => WildcardElement::Character(other),
            });
        }
        Ok(Self { elements })
    }

    /// Returns true if the pattern matches a whole text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        // The positions of pattern and text to which the match goes back if it fails: behind the last star, and one character further.
        let mut retry: Option<(usize, usize)> = None;
        let (mut element, mut position) = (0, 0);
        loop {
            match (self.elements.get(element), text.get(position)) {
                (None, None) => return true,
                (Some(WildcardElement::Star), _) => {
                    element += 1;
                    retry = Some((element, position));
                    continue;
                }
                (Some(pattern), Some(character)) if pattern.matches(*character) => {
                    element += 1;
                    position += 1;
                    continue;
                }
                _ => {}
            }
            match retry {
                Some((after_star, skipped)) if text.get(skipped).is_some_and(|character| *character != '/') => {
                    retry = Some((after_star, skipped + 1));
                    (element, position) = (after_star, skipped + 1);
                }
                _ => return false,
            }
        }
    }
}

impl WildcardElement {
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::Any => character != '/',
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *is_negated
            }
            Self::Star => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_do_not_match_slashes() {
        for (pattern, text, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a/b.txt", false),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/b/b/c", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxaxx", false),
            ("", "", true),
        ] {
            assert_eq!(Wildcard::compile(pattern).unwrap().is_match(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn classes_have_ranges_and_can_be_negated() {
        for (pattern, text, expected) in
            [("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[^a-c]x", "dx", true), ("[\\]]", "]", true), ("\\*", "*", true)]
        {
            assert_eq!(Wildcard::compile(pattern).unwrap().is_match(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn malformed_patterns_are_errors() {
        for pattern in ["[", "[]", "[a", "[-a]", "[a-]", "\\", "[a\\"] {
            assert_eq!(Wildcard::compile(pattern), Err(BadWildcard), "{pattern}");
        }
    }
}
