//! Base32 with padding. The decoder is not that of a crate, since its errors, with the position of the byte, are results of templates.

use data_encoding::BASE32;

/// The number of characters of a group, which are five bytes.
const GROUP: usize = 8;

/// Returns the bytes as base32.
pub(super) fn encode(bytes: &[u8]) -> String {
    BASE32.encode(bytes)
}

/// Returns the bytes of a text in base32. Line breaks do not count, also not in the position that the error names.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    decoded(&text).map_err(|position| format!("illegal base32 data at input byte {position}"))
}

/// Returns the bytes of a text, or the position of the first byte that does not fit.
fn decoded(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / GROUP * 5);
    for (index, group) in text.chunks(GROUP).enumerate() {
        let start = index * GROUP;
        let (mut bits, mut count, mut is_padded) = (0u64, 0, false);
        for (at, byte) in group.iter().enumerate() {
            // Padding ends the text, so less than a group may follow its first character.
            if *byte == b'=' && at >= 2 && text.len() - (start + at) <= GROUP {
                check_padding(text, start, at)?;
                is_padded = true;
                break;
            }
            bits = bits << 5 | value(*byte).ok_or(start + at)?;
            count += 1;
        }
        if !is_padded && count < GROUP {
            // Padding is missing, which the position of the group tells.
            return Err(start);
        }
        bits <<= 5 * (GROUP - count);
        bytes.extend_from_slice(&bits.to_be_bytes()[3..3 + count * 5 / 8]);
        if is_padded {
            break;
        }
    }
    Ok(bytes)
}

/// Checks the padding of a group from an index on.
fn check_padding(text: &[u8], start: usize, at: usize) -> Result<(), usize> {
    let Some(padding) = text.get(start + at..start + GROUP) else { return Err(text.len()) };
    if let Some(other) = padding.iter().position(|byte| *byte != b'=') {
        return Err(start + at + other - 1);
    }
    // Of these numbers of characters, the last one has no whole byte.
    if matches!(at, 3 | 6) { Err(start + at) } else { Ok(()) }
}

fn value(byte: u8) -> Option<u64> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'2'..=b'7' => byte - b'2' + 26,
        _ => return None,
    };
    Some(value.into())
}
