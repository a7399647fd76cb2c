//! Pre-releases.

use std::cmp::Ordering;

use super::VersionError;

/// Refuses numbers with leading zeros.
pub(super) fn check(prerelease: &str) -> Result<(), VersionError> {
    let has_leading_zero = |part: &str| part.len() > 1 && part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit());
    if prerelease.split('.').any(has_leading_zero) { Err(VersionError::LeadingZero) } else { Ok(()) }
}

/// Compares two pre-releases part by part. A missing part comes first.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let (left, right) = (left.next(), right.next());
        if left.is_none() && right.is_none() {
            return Ordering::Equal;
        }
        let order = compare_parts(left.unwrap_or_default(), right.unwrap_or_default());
        if order.is_ne() {
            return order;
        }
    }
}

/// Compares two parts: numbers by their values, and before all others. A number that does not fit into 64 bits is none.
fn compare_parts(left: &str, right: &str) -> Ordering {
    if left.is_empty() || right.is_empty() {
        return left.cmp(right);
    }
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

fn number(part: &str) -> Option<u64> {
    part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten()
}
