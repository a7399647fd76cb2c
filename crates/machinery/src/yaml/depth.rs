//! Stack for deeply nested texts: without optimisation the reader needs some 20 KiB of the stack per level, and the free stack of callers is unknown.

use std::iter;

use memchr::{memchr_iter, memchr2_iter};
use serde::de::IgnoredAny;

use super::read::DEPTH;

/// The nesting up to which texts are read on any stack.
const SHALLOW: usize = 30;
/// The stack that a level needs at most, in bytes.
const LEVEL: usize = 32 * 1024;
/// The size of a separate stack, in bytes: several times what the deepest readable text needs.
const STACK: usize = 8 * 1024 * 1024;

/// Runs some work on a text, on a separate stack if the text may be nested deeper than the rest of the present one allows.
pub(super) fn with_room<T>(text: &str, work: impl FnOnce() -> T) -> T {
    // Deeper texts are refused on the way.
    let most = (DEPTH + 1) * LEVEL;
    if stacker::remaining_stack().is_some_and(|left| left >= most) {
        return work();
    }
    let bound = bound(text);
    if bound <= SHALLOW {
        return work();
    }
    stacker::maybe_grow(most.min(bound * LEVEL), STACK, work)
}

/// Returns an upper bound of the nesting of a text.
fn bound(text: &str) -> usize {
    let brackets = memchr2_iter(b'[', b'{', text.as_bytes()).count();
    if brackets > SHALLOW && text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return nesting(text);
    }
    // Outside of brackets, each level begins further to the right than the one around it.
    let column = |line: &[u8]| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':')).count();
    let line_starts = iter::once(0).chain(memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
    let deepest = line_starts.map(|start| column(&text.as_bytes()[start..])).max();
    brackets + deepest.unwrap_or_default() + 1
}

/// Returns the nesting of a JSON text.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => loop {
                match bytes.next() {
                    Some(b'\\') => drop(bytes.next()),
                    Some(b'"') | None => break,
                    Some(_) => {}
                }
            },
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_a_text_is_never_less_than_its_depth() {
        for (text, least, most) in [
            ("a: 1", 1, 2),
            ("a:\n  b:\n  - c: 1", 4, 6),
            ("- - - 1", 3, 7),
            ("{a: [[1]]}", 3, 4),
            (&format!("{{\"a\":\"[[[\",\"l\":[{}1]}}", "[],".repeat(100)), 3, 3),
        ] {
            assert!((least..=most).contains(&bound(text)), "{text}: {}", bound(text));
        }
    }
}
