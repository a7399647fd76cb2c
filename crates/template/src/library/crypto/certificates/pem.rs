//! PEM, with the leniency of Go: text around blocks and headers within them are skipped.

use std::fmt::Write as _;

use crate::library::encoding::base64;

/// The number of characters in a line.
const LINE: usize = 64;

/// A block with its decoded content.
pub(super) struct PemBlock {
    /// The type, such as `CERTIFICATE`.
    pub(super) label: String,
    /// The content.
    pub(super) content: Vec<u8>,
}

/// Returns the first block of a text.
pub(super) fn decode(text: &[u8]) -> Option<PemBlock> {
    let text = std::str::from_utf8(text).ok()?;
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
    let content: String = body.lines().filter(|line| !line.contains(':')).flat_map(str::split_whitespace).collect();
    Some(PemBlock { label: label.to_owned(), content: base64::decode(content.as_bytes()).ok()? })
}

/// Returns a block as text.
pub(super) fn encode(label: &str, content: &[u8]) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    let encoded = base64::encode(content);
    for (index, character) in encoded.chars().enumerate() {
        if index > 0 && index % LINE == 0 {
            text.push('\n');
        }
        text.push(character);
    }
    let _ = write!(text, "\n-----END {label}-----\n");
    text
}
