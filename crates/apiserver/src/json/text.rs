//! Texts as clients send them; invalid parts become the replacement character.

use std::borrow::Cow;

/// Returns bytes as text. Each byte that is not part of a character becomes the replacement character.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text.into()
}

/// Returns the text with the replacement character for each unpaired surrogate escape, or `None` if there is no such escape.
pub(super) fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut result = Vec::with_capacity(text.len());
    let mut is_mended = false;
    let mut at = 0;
    while at < text.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                result.extend_from_slice(b"\\ufffd");
                is_mended = true;
                at += 6;
                continue;
            }
            _ if text[at] == b'\\' => 2,
            _ => 1,
        };
        let end = (at + length).min(text.len());
        result.extend_from_slice(&text[at..end]);
        at = end;
    }
    is_mended.then_some(result)
}
