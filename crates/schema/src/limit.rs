//! The limit of the total size of the problems of one object.

/// The approximate limit of the total size of all problems of one object, in bytes. It is more than any client needs, and bounds the answer about
/// an object whose keys are as long as the body.
pub const MOST_NOTED: usize = 16 * 1024 * 1024;

/// Returns true if there is room for one more problem of this length, after `noted` problems of about the same length.
pub fn can_be_told(noted: usize, length: usize) -> bool {
    noted.saturating_mul(length) < MOST_NOTED
}

/// Adds a path of this length to a list, if there is room. The path is only computed then.
pub fn note(paths: &mut Vec<String>, length: usize, path: impl FnOnce() -> String) {
    if can_be_told(paths.len(), length) {
        paths.push(path());
    }
}
