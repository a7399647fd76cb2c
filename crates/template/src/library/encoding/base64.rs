//! Base64 with padding. The decoder is not that of a crate, since its errors, with the position of the byte, are results of templates, and line breaks
//! within the text are skipped.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns the bytes as base64.
pub(in super::super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the bytes of a text in base64. The error is Go's text.
pub(in super::super) fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    decoded(text).map_err(|position| format!("illegal base64 data at input byte {position}"))
}

/// Returns the bytes of a text, or the position of the first byte that does not fit.
fn decoded(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut rest = text.iter().enumerate().filter(|(_, byte)| !is_line_break(**byte));
    // The bits of up to four characters, and their count.
    let (mut bits, mut count) = (0u32, 0);
    while let Some((position, byte)) = rest.next() {
        if *byte == b'=' {
            match count {
                2 => match rest.next() {
                    Some((_, b'=')) => {}
                    Some((position, _)) => return Err(position - 1),
                    None => return Err(text.len()),
                },
                3 => {}
                _ => return Err(position),
            }
            if let Some((position, _)) = rest.next() {
                return Err(position);
            }
            bits <<= 6 * (4 - count);
            bytes.extend_from_slice(&bits.to_be_bytes()[1..count]);
            return Ok(bytes);
        }
        bits = bits << 6 | value(*byte).ok_or(position)?;
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    // Padding is missing, which the position of the last group tells.
    if count == 0 { Ok(bytes) } else { Err(text.len() - count) }
}

const fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}
