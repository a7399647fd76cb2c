//! Names of child objects, derived from the name of the parent and a suffix.

use data_encoding::HEXLOWER;
use md5::{Digest, Md5};

/// The longest name of a child, in bytes: the limit of a DNS label.
pub const MAX_CHILD_NAME: usize = 63;

/// The length of a digest in hexadecimal digits.
const DIGEST: usize = 32;
/// The room beside a digest, in bytes: for the start of the parent's name, and for a suffix that still leaves room for the parent.
const BESIDE_DIGEST: usize = MAX_CHILD_NAME - DIGEST;

/// Returns a name, at most [`MAX_CHILD_NAME`] bytes long, for the child of `parent` that `suffix` distinguishes.
///
/// The name is parent and suffix together if they fit. Otherwise a digest of the parent replaces the parent's end. If the suffix is longer than 30
/// bytes, the name is the start of the parent, a digest of both, and the start of the suffix; trailing characters other than ASCII letters and digits
/// are stripped.
///
/// A character of several bytes is left out where only a part of it would fit, so the name may be shorter than the limit. (Recorded names of
/// Knative's function contain the part of the character; servers accept neither name.)
///
/// ```
/// use kubewright_core::names::child_name;
///
/// assert_eq!(child_name("web", "-deployment"), "web-deployment");
/// assert_eq!(child_name(&"f".repeat(63), "-deployment"), "ffffffffffffffffffff105d7597f637e83cc711605ac3ea4957-deployment");
/// ```
pub fn child_name(parent: &str, suffix: &str) -> String {
    if parent.len() + suffix.len() <= MAX_CHILD_NAME {
        return format!("{parent}{suffix}");
    }
    if suffix.len() < BESIDE_DIGEST {
        let start = prefix(parent, BESIDE_DIGEST - suffix.len());
        return format!("{start}{}{suffix}", digest(&[parent]));
    }
    let mut name = format!("{}{}", prefix(parent, BESIDE_DIGEST), digest(&[parent, suffix]));
    name.push_str(prefix(suffix, MAX_CHILD_NAME - name.len()));
    let end = name.trim_end_matches(|last: char| !last.is_ascii_alphanumeric()).len();
    name.truncate(end);
    name
}

/// Returns the longest start of a text that has at most `most` bytes and ends between two characters.
fn prefix(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn digest(parts: &[&str]) -> String {
    let mut md5 = Md5::new();
    for part in parts {
        md5.update(part);
    }
    HEXLOWER.encode(&md5.finalize())
}
