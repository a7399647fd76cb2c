//! Constraints on versions.

use std::fmt;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use super::operator::{ConstraintOperator, OpenNumber, VersionComparison};
use super::{SemanticVersion, VersionError};
use crate::format;

/// The maximal length of a constraint's text, in bytes.
const LONGEST_CONSTRAINT: usize = 512;
/// The maximal number of alternatives.
const MOST_GROUPS: usize = 32;

/// A version in which numbers may be wildcards or missing. Several wildcard characters in a row pass here, and are no version later.
const VERSION: &str = r"v?[0-9|xX*]+(?:\.[0-9|xX*]+)?(?:\.[0-9|xX*]+)?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?";
const OPERATOR: &str = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^";
const BLANK: &str = r"[\t\n\f\r ]";

/// Two versions with a hyphen between blanks.
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("{BLANK}*({VERSION}){BLANK}+-{BLANK}+({VERSION}){BLANK}*")));
/// The first comparison in a text.
static COMPARISON: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("({OPERATOR}){BLANK}*({VERSION})")));
/// A text that is one comparison.
static WHOLE_COMPARISON: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("^{BLANK}*({OPERATOR}){BLANK}*({VERSION}){BLANK}*$")));
/// Comparisons between blanks or commas.
static GROUP: LazyLock<Regex> = LazyLock::new(|| {
    let comparison = format!("(?:{OPERATOR}){BLANK}*(?:{VERSION}){BLANK}*");
    pattern(&format!("^(?:{BLANK}*{comparison})(?:(?:{BLANK}+|,{BLANK}*){comparison})*$"))
});
/// The numbers and the pre-release of a version with wildcards.
static NUMBERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^v?([0-9|xX*]+)(?:\.([0-9|xX*]+))?(?:\.([0-9|xX*]+))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant")
}

/// A constraint on versions, such as `>=1.22.0-0 <1.30.0-0 || ^2.1`. Comparisons between blanks or commas must all hold, of groups between `||` one.
/// Pre-releases satisfy only groups with a pre-release in one of their comparisons.
#[derive(Clone, Debug)]
pub struct VersionConstraint {
    groups: Vec<ConstraintGroup>,
    text: String,
}

#[derive(Clone, Debug)]
struct ConstraintGroup {
    comparisons: Vec<VersionComparison>,
    has_prerelease: bool,
}

impl VersionConstraint {
    /// Reads a constraint.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > LONGEST_CONSTRAINT {
            return Err(VersionError::ConstraintTooLong(LONGEST_CONSTRAINT));
        }
        let rewritten = RANGE.replace_all(text, |range: &Captures<'_>| format!(">= {}, <= {} ", &range[1], &range[2]));
        let groups: Vec<&str> = rewritten.split("||").collect();
        if groups.len() > MOST_GROUPS {
            return Err(VersionError::TooManyGroups(MOST_GROUPS));
        }
        let groups = groups.into_iter().map(ConstraintGroup::parse).collect::<Result<_, _>>()?;
        Ok(Self { groups, text: text.to_owned() })
    }

    /// Returns true if a version satisfies the constraint.
    pub fn check(&self, version: &SemanticVersion) -> bool {
        self.groups.iter().any(|group| group.check(version))
    }
}

/// Prints the text from which the constraint was read.
impl fmt::Display for VersionConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ConstraintGroup {
    fn parse(text: &str) -> Result<Self, VersionError> {
        if !GROUP.is_match(text) {
            return Err(improper(text));
        }
        let comparisons: Vec<VersionComparison> = COMPARISON
            .find_iter(text)
            .map(|comparison| VersionComparison::parse(comparison.as_str()))
            .collect::<Result<_, _>>()?;
        let has_prerelease = comparisons.iter().any(|comparison| comparison.version.is_prerelease());
        Ok(Self { comparisons, has_prerelease })
    }

    fn check(&self, version: &SemanticVersion) -> bool {
        (self.has_prerelease || !version.is_prerelease()) && self.comparisons.iter().all(|comparison| comparison.check(version))
    }
}

impl VersionComparison {
    fn parse(text: &str) -> Result<Self, VersionError> {
        let parts = WHOLE_COMPARISON.captures(text).ok_or_else(|| improper(text))?;
        let (operator, written) = (ConstraintOperator::of(&parts[1]), &parts[2]);
        let numbers = NUMBERS.captures(written).ok_or_else(|| improper(text))?;
        let part = |index: usize| numbers.get(index).map_or("", |part| part.as_str());
        let is_open = |index: usize| matches!(part(index), "" | "x" | "X" | "*");
        let prerelease = part(4);
        let (open, version) = if is_open(1) {
            (OpenNumber::Major, format!("0.0.0{prerelease}"))
        } else if is_open(2) {
            (OpenNumber::Minor, format!("{}.0.0{prerelease}", part(1)))
        } else if is_open(3) {
            (OpenNumber::Patch, format!("{}.{}.0{prerelease}", part(1), part(2)))
        } else {
            (OpenNumber::None, written.to_owned())
        };
        let version = SemanticVersion::parse(&version).map_err(|_| VersionError::ConstraintVersion)?;
        Ok(Self { operator, version, open })
    }
}

fn improper(text: &str) -> VersionError {
    VersionError::ImproperConstraint(format::quote(text.as_bytes()))
}
