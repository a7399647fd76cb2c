//! Stack for expressions and patterns that reach deep: walking one takes as much as it is deep, and callers give an unknown amount.

use std::thread;

/// Expressions that are no deeper fit on any stack.
const SHALLOW: usize = 60;
/// Texts that are no longer mean nothing deeper: each step down takes a character.
#[cfg(feature = "cel")]
const SHORT: usize = SHALLOW;
/// What a step down takes at most, without optimisation.
const STEP: usize = 24 * 1024;
/// How deep a text may reach that the parser of the library reads on any stack: it takes some 150 KiB for each step down.
#[cfg(feature = "cel")]
const SHALLOW_FOR_THE_LIBRARY: usize = 4;
/// The deepest that a text within the limits of the parser can mean, macros expanded.
const DEEPEST: usize = 2_500;

/// Walks an expression of a depth; absent when there is no memory for it.
pub(super) fn for_depth<T: Send>(depth: usize, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SHALLOW { Some(walk()) } else { elsewhere(depth, walk) }
}

/// Reads a text and walks what it means; absent when there is no memory for it.
#[cfg(feature = "cel")]
pub(super) fn for_text<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if text.len() <= SHORT { Some(walk()) } else { elsewhere(DEEPEST, walk) }
}

/// The same when the parser of the library reads it as well.
#[cfg(feature = "cel")]
pub(super) fn for_the_library<T: Send>(text: &str, walk: impl FnOnce() -> T + Send) -> Option<T> {
    let steps = text.bytes().filter(|byte| b"([{!-?".contains(byte)).count();
    if text.len() <= SHORT && steps <= SHALLOW_FOR_THE_LIBRARY { Some(walk()) } else { elsewhere(DEEPEST, walk) }
}

/// Does the work on a stack of its own. The caller waits, so nothing happens at the same time.
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
