//! Semantic versions, also incomplete ones.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

use super::prerelease;
use crate::format;

/// The maximal length of a version's text, in bytes.
const LONGEST_VERSION: usize = 256;

/// A semantic version. Its text may have a leading `v`, leading zeros, and may lack minor and patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticVersion {
    /// The major version.
    pub major: u64,
    /// The minor version.
    pub minor: u64,
    /// The patch version.
    pub patch: u64,
    /// The pre-release without its hyphen; empty for a release.
    pub prerelease: String,
    /// The build metadata without its plus sign; empty if there is none.
    pub metadata: String,
    /// The text from which the version was read.
    pub original: String,
}

/// The error of a text that is no version, or no constraint. The texts are those of Helm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VersionError {
    /// The text has not the form of a version.
    #[error("invalid semantic version")]
    Invalid,
    /// The text of a version is too long.
    #[error("version string is too long (max {LONGEST_VERSION} bytes)")]
    TooLong,
    /// A number of a version does not fit into 64 bits.
    #[error("error parsing version segment: strconv.ParseUint: parsing {0}: value out of range")]
    Segment(String),
    /// A number of a pre-release has a leading zero.
    #[error("version segment starts with 0")]
    LeadingZero,
    /// The text has not the form of a constraint.
    #[error("improper constraint: {0}")]
    ImproperConstraint(String),
    /// A version in a constraint is none.
    #[error("constraint parser error")]
    ConstraintVersion,
    /// The text of a constraint is too long.
    #[error("constraint string is too long (max {0} bytes)")]
    ConstraintTooLong(usize),
    /// A constraint has too many alternatives.
    #[error("too many constraint groups (max {0})")]
    TooManyGroups(usize),
}

impl SemanticVersion {
    /// Reads a version: numbers for major, and perhaps minor and patch, a pre-release and metadata.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > LONGEST_VERSION {
            return Err(VersionError::TooLong);
        }
        let rest = text.strip_prefix('v').unwrap_or(text);
        let (rest, metadata) = rest.split_once('+').map_or((rest, None), |(rest, metadata)| (rest, Some(metadata)));
        let (numbers, prerelease) = rest.split_once('-').map_or((rest, None), |(numbers, pre)| (numbers, Some(pre)));
        if ![prerelease, metadata].into_iter().flatten().all(are_identifiers) {
            return Err(VersionError::Invalid);
        }
        let parts: Vec<&str> = numbers.split('.').collect();
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if parts.len() > 3 || !parts.iter().all(is_number) {
            return Err(VersionError::Invalid);
        }
        let segment = |index: usize| match parts.get(index) {
            Some(part) => part.parse().map_err(|_| VersionError::Segment(format::quote(part.as_bytes()))),
            None => Ok(0),
        };
        let version = Self {
            major: segment(0)?,
            minor: segment(1)?,
            patch: segment(2)?,
            prerelease: prerelease.unwrap_or_default().to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: text.to_owned(),
        };
        prerelease::check(&version.prerelease)?;
        Ok(version)
    }

    /// Returns the order of precedence. Metadata does not count; a pre-release comes before its release.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (&*self.prerelease, &*other.prerelease) {
            ("", "") => Ordering::Equal,
            ("", _) => Ordering::Greater,
            (_, "") => Ordering::Less,
            (own, other) => prerelease::compare(own, other),
        })
    }

    /// Returns true for a version before a release.
    pub fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }

    /// Returns the version with other numbers, without pre-release and metadata, and with the leading `v` of this one.
    pub(super) fn successor(&self, major: u64, minor: u64, patch: u64) -> Self {
        let (prerelease, metadata) = (String::new(), String::new());
        Self { major, minor, patch, prerelease, metadata, original: self.original.clone() }.renamed()
    }

    /// Returns the version with its own text as the original, after a leading `v` that the original has.
    pub(super) fn renamed(self) -> Self {
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        let original = format!("{prefix}{self}");
        Self { original, ..self }
    }
}

/// Prints the version with all three numbers and without a leading `v`.
impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// Returns true for letters, digits and hyphens in parts that dots separate.
pub(super) fn are_identifiers(text: &str) -> bool {
    let is_identifier = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    text.split('.').all(is_identifier)
}
