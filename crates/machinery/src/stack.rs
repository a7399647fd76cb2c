//! Stack for deeply nested texts, expressions and patterns. Walking one takes stack in proportion to its depth, and the remaining stack of a caller
//! is unknown.

use std::thread;

/// The maximal depth of expressions that fit on any stack.
pub const SHALLOW: usize = 60;
/// The maximal depth for which a stack is made.
pub const DEEPEST: usize = 2_500;
/// The maximal size of the stack of one level without optimisation, in bytes.
const STEP: usize = 24 * 1024;

/// Walks an expression of a given depth, on a thread with a stack of its own if it is deep; returns `None` if there is no memory for its stack.
pub fn for_depth<T: Send>(depth: usize, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SHALLOW {
        return Some(walk());
    }
    on_own_stack(depth.min(DEEPEST) * STEP, walk)
}

/// Runs work on a thread with a stack of a given size, in bytes; returns `None` if there is no memory for it. The caller waits, so nothing runs
/// concurrently.
fn on_own_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(done) => Some(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
