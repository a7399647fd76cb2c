//! Reading of JSON, as Go's `encoding/json` does it: numbers are floats, the last value of a key counts, and texts that are no Unicode are repaired.

use std::collections::BTreeMap;

use super::budget::{DEPTH, EncodingBudget};
use crate::format::quote;
use crate::value::{GoMap, GoString, GoValue, MapType};

/// Reads a text that holds one value. The error is worded as Go's.
pub(super) fn read(text: &[u8]) -> Result<GoValue, String> {
    let mut reader = JsonReader { text, position: 0, budget: EncodingBudget::new() };
    let value = reader.value(0)?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("after top-level value")),
    }
}

struct JsonReader<'a> {
    text: &'a [u8],
    position: usize,
    budget: EncodingBudget,
}

impl<'a> JsonReader<'a> {
    fn value(&mut self, depth: usize) -> Result<GoValue, String> {
        if depth > DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        self.budget.take(depth, 0)?;
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(GoValue::String(self.string()?)),
            Some(b't') => self.word("true", GoValue::Bool(true)),
            Some(b'f') => self.word("false", GoValue::Bool(false)),
            Some(b'n') => self.word("null", GoValue::Nil),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<GoValue, String> {
        self.position += 1;
        let mut entries = BTreeMap::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(GoValue::Map(GoMap::new(entries, MapType::Any)));
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            self.skip_blanks();
            if !self.take(b':') {
                return Err(self.unexpected("after object key"));
            }
            entries.insert(key, self.value(depth + 1)?);
            self.skip_blanks();
            if self.take(b'}') {
                return Ok(GoValue::Map(GoMap::new(entries, MapType::Any)));
            }
            if !self.take(b',') {
                return Err(self.unexpected("after object key:value pair"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<GoValue, String> {
        self.position += 1;
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Ok(GoValue::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.take(b']') {
                return Ok(GoValue::list(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("after array element"));
            }
        }
    }

    fn word(&mut self, word: &str, value: GoValue) -> Result<GoValue, String> {
        for expected in word.bytes() {
            if !self.take(expected) {
                let expected = char::from(expected);
                return Err(self.unexpected(&format!("in literal {word} (expecting '{expected}')")));
            }
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<GoValue, String> {
        let start = self.position;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits("in numeric literal")?;
        }
        if self.take(b'.') {
            self.digits("after decimal point in numeric literal")?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits("in exponent of numeric literal")?;
        }
        let text = String::from_utf8_lossy(&self.text[start..self.position]);
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(GoValue::Float(number)),
            _ => Err(format!("json: cannot unmarshal number {text} into Go value of type float64")),
        }
    }

    fn digits(&mut self, place: &str) -> Result<(), String> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected(place));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<GoString, String> {
        self.position += 1;
        let plain = self.plain_bytes();
        // Most strings have no escapes, and are copied once.
        if self.peek() == Some(b'"')
            && let Ok(text) = std::str::from_utf8(plain)
        {
            self.position += 1;
            return Ok(text.into());
        }
        let mut bytes = plain.to_vec();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(String::from(GoString::from(bytes).to_text()).into());
                }
                Some(b'\\') => {
                    self.position += 1;
                    let character = self.escape()?;
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte) if byte >= b' ' => bytes.extend_from_slice(self.plain_bytes()),
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    /// Reads the bytes up to an escape, the end of a string, or a control character.
    fn plain_bytes(&mut self) -> &'a [u8] {
        let rest = &self.text[self.position..];
        let is_plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let length = rest.iter().take_while(is_plain).count();
        self.position += length;
        &rest[..length]
    }

    fn escape(&mut self) -> Result<char, String> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.position += 1;
                return self.code_point();
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.position += 1;
        Ok(character)
    }

    /// Reads the digits of `\u`, and a second half of a surrogate pair. A half without the other one is U+FFFD.
    fn code_point(&mut self) -> Result<char, String> {
        let first = self.hexadecimal()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let start = self.position;
        if first < 0xdc00 && self.take(b'\\') && self.take(b'u') {
            let second = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&second) {
                let code_point = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        self.position = start;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let mut value = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            value = value * 16 + digit;
            self.position += 1;
        }
        Ok(value)
    }

    fn unexpected(&self, place: &str) -> String {
        let character = match self.peek() {
            // Inside of a token, Go's scanner takes the end of the text for a blank.
            None if place.starts_with("in literal") || place.contains("numeric") || place.contains("escape") => "' '".to_owned(),
            None => return "unexpected end of JSON input".to_owned(),
            Some(byte) => quoted(byte),
        };
        format!("invalid character {character} {place}")
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }
}

/// Returns a byte between single quotes, as a character of Latin-1.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        byte => {
            let quoted = quote(char::from(byte).to_string().as_bytes());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}
