//! Splitting of text into tokens.

use super::expression::Literal;

/// A token with the position of its first character.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CelToken {
    pub(super) at: usize,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Ident(String),
    /// A name in backticks, which may contain any character.
    Quoted(String),
    Literal(Literal),
    Symbol(&'static str),
}

/// The symbols, longer ones first.
const SYMBOLS: [&str; 27] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}",
    "=", ";", "@",
];

/// Returns the tokens of a text, or `None` if a part of it is no token.
pub(super) fn tokens(source: &str) -> Option<Vec<CelToken>> {
    let characters: Vec<char> = source.chars().collect();
    let mut reader = CelTokenizer { characters: &characters, at: 0 };
    let mut tokens = Vec::new();
    while reader.more() {
        tokens.push(reader.token()?);
    }
    Some(tokens)
}

struct CelTokenizer<'a> {
    characters: &'a [char],
    at: usize,
}

impl CelTokenizer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    /// Skips blanks; returns true if a token follows.
    fn more(&mut self) -> bool {
        self.skip_blank();
        self.at < self.characters.len()
    }

    /// Reads the next token; returns `None` if the text is no token.
    fn token(&mut self) -> Option<CelToken> {
        let at = self.at;
        let first = self.peek(0)?;
        let kind = if first.is_ascii_digit() || (first == '.' && self.peek(1).is_some_and(|next| next.is_ascii_digit())) {
            TokenKind::Literal(self.number())
        } else if let Some(prefix) = self.string_prefix() {
            self.at += prefix.len();
            self.string(&prefix)?
        } else if first.is_alphabetic() || first == '_' {
            self.word()
        } else if first == '`' {
            let end = self.characters[at + 1..].iter().position(|c| *c == '`')? + at + 1;
            self.at = end + 1;
            TokenKind::Quoted(self.characters[at + 1..end].iter().collect())
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| symbol.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c)))?;
            self.at += symbol.len();
            TokenKind::Symbol(symbol)
        };
        Some(CelToken { at, kind })
    }

    fn skip_blank(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(c), _) if c.is_whitespace() => self.at += 1,
                (Some('/'), Some('/')) => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let word: String = self.characters[start..self.at].iter().collect();
        match word.as_str() {
            "true" => TokenKind::Literal(Literal::Bool(true)),
            "false" => TokenKind::Literal(Literal::Bool(false)),
            "null" => TokenKind::Literal(Literal::Null),
            "in" => TokenKind::Symbol("in"),
            _ => TokenKind::Ident(word),
        }
    }

    fn number(&mut self) -> Literal {
        let start = self.at;
        let hexadecimal = self.peek(0) == Some('0') && matches!(self.peek(1), Some('x' | 'X'));
        if hexadecimal {
            self.at += 2;
        }
        let mut double = false;
        while let Some(c) = self.peek(0) {
            let part_of_double = !hexadecimal
                && (matches!(c, 'e' | 'E')
                    || (c == '.' && self.peek(1).is_some_and(|next| next.is_ascii_digit()))
                    || (matches!(c, '+' | '-') && matches!(self.characters[self.at - 1], 'e' | 'E')));
            if part_of_double && self.at > start || c == '.' && self.at == start {
                double = true;
            } else if !(c.is_ascii_digit() || (hexadecimal && c.is_ascii_hexdigit())) {
                break;
            }
            self.at += 1;
        }
        let digits: String = self.characters[start..self.at].iter().collect();
        if matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
            let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            return Literal::Uint(value.unwrap_or_default());
        }
        if double {
            return Literal::Double(digits.parse().unwrap_or(f64::NAN));
        }
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        // The smallest integer has the digits of one more than the largest one; its sign is read separately.
        Literal::Int(value.unwrap_or(i64::MIN))
    }

    /// Returns the letters before an opening quote.
    fn string_prefix(&self) -> Option<String> {
        for length in 0..=2 {
            let prefix: String = (0..length).map_while(|n| self.peek(n)).collect();
            if matches!(self.peek(length), Some('"' | '\''))
                && matches!(prefix.to_lowercase().as_str(), "" | "r" | "b" | "br" | "rb")
            {
                return Some(prefix);
            }
        }
        None
    }

    fn string(&mut self, prefix: &str) -> Option<TokenKind> {
        let prefix = prefix.to_lowercase();
        let quote = self.peek(0)?;
        let count = if self.peek(1) == Some(quote) && self.peek(2) == Some(quote) { 3 } else { 1 };
        self.at += count;
        let as_bytes = prefix.contains('b');
        let mut text = String::new();
        loop {
            let c = self.peek(0)?;
            if (0..count).all(|n| self.peek(n) == Some(quote)) {
                self.at += count;
                break;
            }
            self.at += 1;
            if c == '\\' && !prefix.contains('r') {
                self.escape(&mut text, as_bytes)?;
            } else {
                text.push(c);
            }
        }
        let literal = if as_bytes { Literal::Bytes(bytes(&text)) } else { Literal::Text(text) };
        Some(TokenKind::Literal(literal))
    }

    fn escape(&mut self, text: &mut String, as_bytes: bool) -> Option<()> {
        let c = self.peek(0)?;
        self.at += 1;
        let (digits, radix) = match c {
            'x' | 'X' => (2, 16),
            'u' => (4, 16),
            'U' => (8, 16),
            '0'..='3' => {
                self.at -= 1;
                (3, 8)
            }
            _ => {
                text.push(match c {
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    other => other,
                });
                return Some(());
            }
        };
        let code: String = (0..digits).map_while(|n| self.peek(n)).collect();
        self.at += digits;
        let code = u32::from_str_radix(&code, radix).ok()?;
        // In byte strings, short escapes stand for single bytes. They are kept apart from characters until the end.
        let offset = if as_bytes && digits < 4 { BYTES } else { 0 };
        text.push(char::from_u32(code + offset)?);
        Some(())
    }
}

/// The offset of single bytes, which are held as private-use characters.
const BYTES: u32 = 0x0010_0000;

fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for c in text.chars() {
        match u32::from(c).checked_sub(BYTES).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    bytes
}
