use std::borrow::Cow;
use std::cmp::Ordering;

/// A resource version. Decimal ones are ordered; others can only be compared for equality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResourceVersion {
    Number(u64),
    Text(Box<str>),
}

impl ResourceVersion {
    pub(super) fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Self::Number(number),
            _ => Self::Text(text.into()),
        }
    }

    /// Returns the order, if both are decimal.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Returns the text from which the version was parsed.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

/// A UID, in 16 bytes if it has the usual form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Uid {
    Uuid([u8; 16]),
    Text(Box<str>),
}

impl Uid {
    pub(super) fn parse(text: &str) -> Self {
        parse_uuid(text.as_bytes()).map_or_else(|| Self::Text(text.into()), Self::Uuid)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Uuid(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

/// Parses `8-4-4-4-12` lower-case hex digits. Any other form stays a text, so that different texts never become equal.
fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    if text.len() != 36 {
        return None;
    }
    let mut bytes = [0; 16];
    let mut digits = 0;
    for (at, &byte) in text.iter().enumerate() {
        if matches!(at, 8 | 13 | 18 | 23) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return None,
        };
        bytes[digits / 2] = bytes[digits / 2] << 4 | digit;
        digits += 1;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_versions_are_ordered_and_others_are_not() {
        assert_eq!(ResourceVersion::parse("9").order(&ResourceVersion::parse("10")), Some(Ordering::Less));
        assert_eq!(ResourceVersion::parse("a9").order(&ResourceVersion::parse("10")), None);
        assert!(ResourceVersion::parse("+9").is_text());
        assert!(ResourceVersion::parse("").is_text());
    }

    #[test]
    fn only_the_usual_form_is_packed() {
        let usual = "0b5c7a4e-9f0a-4a57-8d0e-2f1f6b7c8d9e";
        assert!(matches!(Uid::parse(usual), Uid::Uuid(bytes) if bytes[0] == 0x0b && bytes[15] == 0x9e));
        assert!(matches!(Uid::parse(&usual.to_uppercase()), Uid::Text(_)));
        assert!(matches!(Uid::parse("u1"), Uid::Text(_)));
        assert_eq!(Uid::parse("u1"), Uid::parse("u1"));
    }
}
