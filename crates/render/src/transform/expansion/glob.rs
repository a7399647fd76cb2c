//! Patterns of prefixes: `*` stands for any characters, `?` for one, `[a-c]` for one of a class, `[^a]` for one of no class, and `\` makes the next
//! character an ordinary one.

/// A compiled pattern.
pub(super) struct PrefixPattern {
    parts: Vec<PatternPart>,
}

enum PatternPart {
    Any,
    One,
    Exactly(char),
    Class { ranges: Vec<(char, char)>, negated: bool },
}

impl PrefixPattern {
    /// Compiles a pattern. None if it is malformed; such a pattern matches nothing.
    pub(super) fn compile(text: &str) -> Option<Self> {
        let mut characters = text.chars().peekable();
        let mut parts = Vec::new();
        while let Some(character) = characters.next() {
            parts.push(match character {
                '*' => PatternPart::Any,
                '?' => PatternPart::One,
                '\\' => PatternPart::Exactly(characters.next()?),
                '[' => {
                    let negated = characters.next_if_eq(&'^').is_some();
                    let mut ranges = Vec::new();
                    while ranges.is_empty() || characters.next_if_eq(&']').is_none() {
                        let first = class_character(&mut characters)?;
                        let dash = characters.next_if_eq(&'-').is_some();
                        ranges.push((first, if dash { class_character(&mut characters)? } else { first }));
                    }
                    PatternPart::Class { ranges, negated }
                }
                other => PatternPart::Exactly(other),
            });
        }
        Some(Self { parts })
    }

    /// Returns the number of parts.
    pub(super) const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns the lengths in bytes of the shortest and of the longest prefix that match and are not empty.
    pub(super) fn prefixes(&self, text: &str) -> Option<(usize, usize)> {
        // Each state is a number of parts that the characters so far have matched.
        let mut states = vec![false; self.parts.len() + 1];
        states[0] = true;
        self.skip_any(&mut states);
        let mut found: Option<(usize, usize)> = None;
        for (start, character) in text.char_indices() {
            let mut next = vec![false; states.len()];
            for (index, part) in self.parts.iter().enumerate().filter(|(index, _)| states[*index]) {
                match part {
                    PatternPart::Any => next[index] = true,
                    part if part.matches(character) => next[index + 1] = true,
                    _ => {}
                }
            }
            self.skip_any(&mut next);
            states = next;
            if states.last() == Some(&true) {
                let end = start + character.len_utf8();
                found = Some((found.map_or(end, |(shortest, _)| shortest), end));
            }
            if !states.contains(&true) {
                break;
            }
        }
        found
    }

    /// Adds the states behind parts that match nothing.
    fn skip_any(&self, states: &mut [bool]) {
        for (index, part) in self.parts.iter().enumerate() {
            if states[index] && matches!(part, PatternPart::Any) {
                states[index + 1] = true;
            }
        }
    }
}

impl PatternPart {
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Exactly(expected) => *expected == character,
            Self::Class { ranges, negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *negated
            }
        }
    }
}

/// Takes a character of a class. Another one must follow it.
fn class_character(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    let character = match characters.next()? {
        '-' | ']' => return None,
        '\\' => characters.next()?,
        other => other,
    };
    characters.peek().map(|_| character)
}
