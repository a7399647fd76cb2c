//! A JSON tokenizer that works at any nesting depth.

/// A list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nest {
    List,
    Object,
}

/// A token of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonToken<'a> {
    /// The start of a list or an object.
    Open(Nest),
    /// The end of the innermost list or object.
    Close,
    /// The key of the next value, in quotes.
    Key(&'a [u8]),
    /// A value without children.
    Scalar(&'a [u8]),
}

/// The tokens of a text, each with its start position. For a text that is not JSON they are arbitrary, but finite.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Nest>,
    /// True if the next quoted text is a key.
    key_is_next: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { text, at: 0, open: Vec::new(), key_is_next: false }
    }

    /// Returns the number of open lists and objects.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns the innermost open list or object.
    pub(super) fn innermost(&self) -> Option<Nest> {
        self.open.last().copied()
    }

    /// Returns the end of the scalar that begins at `from`.
    fn end(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        if rest[0] != b'"' {
            let ends = |byte: &u8| matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"') || byte.is_ascii_whitespace();
            return from + rest.iter().position(ends).unwrap_or(rest.len());
        }
        let mut at = 1;
        while at < rest.len() && rest[at] != b'"' {
            at += if rest[at] == b'\\' { 2 } else { 1 };
        }
        from + (at + 1).min(rest.len())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, JsonToken<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let nest = match *self.text.get(at)? {
                b',' => {
                    self.key_is_next = self.open.last() == Some(&Nest::Object);
                    self.at += 1;
                    continue;
                }
                b':' => {
                    self.key_is_next = false;
                    self.at += 1;
                    continue;
                }
                byte if byte.is_ascii_whitespace() => {
                    self.at += 1;
                    continue;
                }
                b']' | b'}' => {
                    self.at += 1;
                    self.open.pop();
                    return Some((at, JsonToken::Close));
                }
                b'[' => Nest::List,
                b'{' => Nest::Object,
                _ => {
                    self.at = self.end(at);
                    let piece = &self.text[at..self.at];
                    return Some((at, if self.key_is_next { JsonToken::Key(piece) } else { JsonToken::Scalar(piece) }));
                }
            };
            self.at += 1;
            self.open.push(nest);
            self.key_is_next = nest == Nest::Object;
            return Some((at, JsonToken::Open(nest)));
        }
    }
}

/// Returns the text of a quoted key.
pub(super) fn key_of(piece: &[u8]) -> String {
    serde_json::from_slice(piece).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_pieces_of_a_document() {
        let tokens: Vec<_> = Tokens::of(br#" {"a\"]":[1, "x" ,null],"b":{}}"#).map(|(_, token)| token).collect();
        assert_eq!(
            tokens,
            [
                JsonToken::Open(Nest::Object),
                JsonToken::Key(br#""a\"]""#),
                JsonToken::Open(Nest::List),
                JsonToken::Scalar(b"1"),
                JsonToken::Scalar(br#""x""#),
                JsonToken::Scalar(b"null"),
                JsonToken::Close,
                JsonToken::Key(br#""b""#),
                JsonToken::Open(Nest::Object),
                JsonToken::Close,
                JsonToken::Close
            ]
        );
    }

    #[test]
    fn the_token_iterator_ends_on_invalid_documents() {
        for text in ["]]]", "{\"", "\"\\", "{,:,]", "\u{ff}", "", "[[["] {
            assert!(Tokens::of(text.as_bytes()).count() <= text.len(), "{text}");
        }
    }
}
