//! Stack for deeply nested expressions and patterns. Walking one takes stack in proportion to its depth, and the remaining stack of a caller is
//! unknown.

use std::thread;

/// The maximal depth of expressions that fit on any stack.
const SHALLOW: usize = 60;
/// The maximal length of texts that fit on any stack: each level takes at least one character.
#[cfg(feature = "cel")]
const SHORT: usize = SHALLOW;
/// The maximal size of the stack of one level without optimisation, in bytes.
const STEP: usize = 24 * 1024;
/// The maximal depth of a text that the parser of the library can read on any stack; it takes about 150 KiB for each level.
#[cfg(feature = "cel")]
const SHALLOW_FOR_THE_LIBRARY: usize = 4;
/// The maximal depth of an expression within the limits of the parser, after macros are expanded.
const DEEPEST: usize = 2_500;

/// Walks an expression of a given depth; returns `None` if there is no memory for its stack.
pub(crate) fn for_depth<T: Send>(depth: usize, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SHALLOW { Some(walk()) } else { elsewhere(depth, walk) }
}

/// Parses a text and walks its expression; returns `None` if there is no memory for the stack.
#[cfg(feature = "cel")]
pub(crate) fn for_text<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if text.len() <= SHORT { Some(walk()) } else { elsewhere(DEEPEST, walk) }
}

/// Parses a text with the parser of the library too, and walks its expression; returns `None` if there is no memory for the stack.
#[cfg(feature = "cel")]
pub(crate) fn for_the_library<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    let steps = text.bytes().filter(|byte| b"([{!-?".contains(byte)).count();
    if text.len() <= SHORT && steps <= SHALLOW_FOR_THE_LIBRARY { Some(walk()) } else { elsewhere(DEEPEST, walk) }
}

/// Runs the work on a thread with a stack of its own. The caller waits, so nothing runs concurrently.
fn elsewhere<T: Send>(depth: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    let stack = depth.min(DEEPEST) * STEP;
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(done) => Some(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
