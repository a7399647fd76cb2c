//! URL paths, as the router of the real server reads them: escapes are decoded first, then the path is split at the slashes.

use std::borrow::Cow;

/// Returns the path with its escapes decoded, or `None` if one of them is invalid.
pub fn decoded(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(if *byte == b'%' { escaped(&mut rest)? } else { *byte });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned().into())
}

/// Returns the byte that two hexadecimal digits stand for.
pub(super) fn escaped(rest: &mut &[u8]) -> Option<u8> {
    let ([high, low], after) = rest.split_first_chunk::<2>()?;
    *rest = after;
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// The segments between the slashes of a path. Trailing slashes do not count; two successive slashes enclose an empty segment.
#[derive(Clone, Debug)]
pub struct Segments<'a>(Option<&'a str>);

impl<'a> Segments<'a> {
    /// Returns the segments of a path.
    pub fn of(path: &'a str) -> Self {
        let path = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
        Self((!path.is_empty()).then_some(path))
    }

    /// Returns the next segment without consuming it.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Returns the remaining segments with their slashes.
    pub fn rest(&self) -> &'a str {
        self.0.unwrap_or_default()
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (segment, rest) = match self.0?.split_once('/') {
            Some((segment, rest)) => (segment, Some(rest)),
            None => (self.0?, None),
        };
        self.0 = rest;
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // PIPE-1
    #[test]
    fn escapes_are_undone_before_the_path_is_cut() {
        assert_eq!(decoded("/api/v1%2Fpods/%61").as_deref(), Some("/api/v1/pods/a"));
        assert_eq!(decoded("/a%C3%A9+b%ff").as_deref(), Some("/aé+b\u{fffd}"));
        for broken in ["/%", "/%4", "/%zz", "/%+1"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }

    // PIPE-1
    #[test]
    fn slashes_at_the_end_do_not_count() {
        let segments = |path: &'static str| Segments::of(path).collect::<Vec<_>>();
        assert_eq!(segments("/api/v1/"), ["api", "v1"]);
        assert_eq!(segments("/api//v1//"), ["api", "", "v1"]);
        assert!(segments("/").is_empty());
    }
}
