//! Escapes of URLs: `%` and two digits.

use crate::format;

/// The parts of a URL, which escape different bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlPart {
    Path,
    Host,
    /// The zone of an IPv6 address.
    Zone,
    User,
    Fragment,
}

impl UrlPart {
    /// Returns true for a byte that is written with an escape in this part.
    pub(super) fn escapes(self, byte: u8) -> bool {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'.' | b'~' => false,
            b'$' | b'&' | b'+' | b'=' => false,
            b',' | b';' | b':' if self.is_host() => false,
            b'!' | b'(' | b')' | b'*' => !self.is_host() && self != Self::Fragment,
            b'\'' | b'[' | b']' | b'<' | b'>' | b'"' => !self.is_host(),
            b',' | b';' => false,
            b'/' | b':' | b'?' | b'@' => match self {
                Self::Path => byte == b'?',
                Self::User => true,
                Self::Host | Self::Zone => true,
                Self::Fragment => false,
            },
            _ => true,
        }
    }

    fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::Zone)
    }

    /// Returns bytes with escapes.
    pub(super) fn escape(self, bytes: &[u8]) -> Vec<u8> {
        let mut result = Vec::with_capacity(bytes.len());
        for byte in bytes {
            if self.escapes(*byte) {
                result.extend_from_slice(format!("%{byte:02X}").as_bytes());
            } else {
                result.push(*byte);
            }
        }
        result
    }

    /// Returns bytes without escapes. Escapes that are none, or that this part may not have, are errors with the text of Go.
    pub(super) fn unescape(self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut result = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if *first != b'%' {
                if self.is_host() && first.is_ascii() && self.escapes(*first) {
                    return Err(format!("invalid character {} in host name", format::quote(&[*first])));
                }
                result.push(*first);
                rest = &rest[1..];
                continue;
            }
            let escape = &rest[..rest.len().min(3)];
            match escaped(escape) {
                Some(byte) if self.may_escape(escape, byte) => result.push(byte),
                _ => return Err(format!("invalid URL escape {}", format::quote(escape))),
            }
            rest = &rest[3..];
        }
        Ok(result)
    }

    /// Returns true if an escape of a byte may stand in this part. Hosts may escape bytes that are not of ASCII, and their zones also bytes that need
    /// no escape in hosts.
    fn may_escape(self, escape: &[u8], byte: u8) -> bool {
        match self {
            Self::Host => !byte.is_ascii() || escape == b"%25",
            Self::Zone => escape == b"%25" || byte == b' ' || !Self::Host.escapes(byte),
            _ => true,
        }
    }
}

/// Returns the byte of an escape of three bytes.
fn escaped(escape: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match escape {
        [_, high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    }
}
