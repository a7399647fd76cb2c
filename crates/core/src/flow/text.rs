//! Texts of errors, conditions and events.

use std::error::Error;

/// The longest message that a condition may carry, in bytes.
const MAX_BYTES: usize = 32_768;

/// Cuts a message to the length that a condition may carry; a cut one ends with `…`.
pub(crate) fn cut(message: String) -> String {
    if message.len() <= MAX_BYTES {
        return message;
    }
    let room = MAX_BYTES - '…'.len_utf8();
    let end = (0..=room).rev().find(|index| message.is_char_boundary(*index)).unwrap_or(0);
    format!("{}…", &message[..end])
}

/// Returns the texts of an error and its sources, each text once.
pub fn full_text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    text
}
