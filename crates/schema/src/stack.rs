//! Stack for the texts of rules, whose depth is unknown before they are parsed.

use kubewright_machinery::stack::{DEEPEST, SHALLOW, for_depth};

/// The maximal length of texts that fit on any stack: each level takes at least one character.
const SHORT: usize = SHALLOW;
/// The maximal depth of a text that the parser of the library can read on any stack; it takes about 150 KiB for each level.
const SHALLOW_FOR_THE_LIBRARY: usize = 4;

/// Parses a text and walks its expression; returns `None` if there is no memory for the stack.
pub(crate) fn for_text<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if text.len() <= SHORT { Some(walk()) } else { for_depth(DEEPEST, walk) }
}

/// Parses a text with the parser of the library too, and walks its expression; returns `None` if there is no memory for the stack.
pub(crate) fn for_the_library<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    let steps = text.bytes().filter(|byte| b"([{!-?".contains(byte)).count();
    if text.len() <= SHORT && steps <= SHALLOW_FOR_THE_LIBRARY { Some(walk()) } else { for_depth(DEEPEST, walk) }
}
