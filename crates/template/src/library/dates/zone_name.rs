//! Abbreviations of time zones in texts.

/// Returns the length of the abbreviation of a time zone at the beginning of a text: capital letters, or an offset of hours. Those of one country cannot
/// be told from those of another, so no list is right.
pub(super) fn zone_name_length(text: &[u8]) -> Option<usize> {
    if text.len() < 3 {
        return None;
    }
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(offset) = text.strip_prefix(b"GMT") {
        return Some(3 + hour_offset_length(offset));
    }
    if matches!(text[0], b'+' | b'-') {
        return Some(hour_offset_length(text)).filter(|length| *length > 0);
    }
    let capitals = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    match capitals {
        3 => Some(3),
        4 if text[3] == b'T' || text.starts_with(b"WITA") => Some(4),
        5 if text[4] == b'T' => Some(5),
        _ => None,
    }
}

/// Returns the hours that an abbreviation such as `GMT+3` has.
pub(super) fn hours_behind_gmt(name: &str) -> i32 {
    name.strip_prefix("GMT").and_then(|hours| hours.parse().ok()).unwrap_or(0)
}

/// Returns the length of a sign with hours below 24; zero if there are none.
fn hour_offset_length(text: &[u8]) -> usize {
    let Some(digits) = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")) else { return 0 };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours =
        digits[..length].iter().fold(0u32, |hours, digit| hours.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
    if length > 0 && hours <= 23 { length + 1 } else { 0 }
}
