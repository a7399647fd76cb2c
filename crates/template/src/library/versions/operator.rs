//! The operators of constraints.

use std::cmp::Ordering;

use super::{SemanticVersion, prerelease};

/// The relation that a constraint demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstraintOperator {
    /// `=`, or none: equal, or within a version with wildcards.
    Equal,
    /// `!=`.
    NotEqual,
    /// `>`.
    Greater,
    /// `<`.
    Less,
    /// `>=`, `=>`.
    GreaterOrEqual,
    /// `<=`, `=<`.
    LessOrEqual,
    /// `~`, `~>`: changes of the last number that is given.
    Tilde,
    /// `^`: changes that keep the first number that is not zero.
    Caret,
}

/// The first number of a version that the constraint leaves open, by a wildcard or because it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenNumber {
    /// All numbers are given.
    None,
    /// Any version.
    Major,
    /// Only the major version is given.
    Minor,
    /// Major and minor version are given.
    Patch,
}

/// An operator with its version. Open numbers are zero.
#[derive(Clone, Debug)]
pub(super) struct VersionComparison {
    /// The operator.
    pub(super) operator: ConstraintOperator,
    /// The version.
    pub(super) version: SemanticVersion,
    /// The first number that is left open.
    pub(super) open: OpenNumber,
}

impl ConstraintOperator {
    /// Returns the operator of its sign.
    pub(super) fn of(sign: &str) -> Self {
        match sign {
            "!=" => Self::NotEqual,
            ">" => Self::Greater,
            "<" => Self::Less,
            ">=" | "=>" => Self::GreaterOrEqual,
            "<=" | "=<" => Self::LessOrEqual,
            "~" | "~>" => Self::Tilde,
            "^" => Self::Caret,
            _ => Self::Equal,
        }
    }
}

impl VersionComparison {
    /// Returns true if a version satisfies the comparison. The group of the comparison decides before that pre-releases may satisfy
    /// it at all.
    pub(super) fn check(&self, version: &SemanticVersion) -> bool {
        let order = version.compare(&self.version);
        match self.operator {
            ConstraintOperator::Equal if self.open == OpenNumber::None => order.is_eq(),
            ConstraintOperator::Equal | ConstraintOperator::Tilde => order.is_ge() && self.is_in_tilde_range(version),
            ConstraintOperator::NotEqual => self.differs(version, order),
            ConstraintOperator::Greater => self.is_exceeded_by(version, order),
            ConstraintOperator::Less => order.is_lt(),
            ConstraintOperator::GreaterOrEqual => order.is_ge(),
            ConstraintOperator::LessOrEqual => self.is_not_exceeded_by(version, order),
            ConstraintOperator::Caret => order.is_ge() && self.is_in_caret_range(version),
        }
    }

    /// Returns true if no given number but the last differs. The version 0.0.0 stands for all.
    fn is_in_tilde_range(&self, version: &SemanticVersion) -> bool {
        let own = &self.version;
        let is_zero = (own.major, own.minor, own.patch) == (0, 0, 0);
        if is_zero && matches!(self.open, OpenNumber::None | OpenNumber::Major) {
            return true;
        }
        version.major == own.major && (version.minor == own.minor || self.open == OpenNumber::Minor)
    }

    /// Returns true if the numbers up to the first that is not zero are equal.
    fn is_in_caret_range(&self, version: &SemanticVersion) -> bool {
        let own = &self.version;
        if own.major > 0 || self.open == OpenNumber::Minor {
            return version.major == own.major;
        }
        if version.major > 0 {
            return false;
        }
        if own.minor > 0 || self.open == OpenNumber::Patch {
            return version.minor == own.minor;
        }
        version.minor == 0 && version.patch == own.patch
    }

    fn differs(&self, version: &SemanticVersion, order: Ordering) -> bool {
        let own = &self.version;
        match self.open {
            OpenNumber::None => order.is_ne(),
            _ if version.major != own.major => true,
            OpenNumber::Minor => false,
            _ if version.minor != own.minor => true,
            // Of two versions with equal given numbers, a pre-release differs from a version that is none.
            OpenNumber::Patch => {
                (version.is_prerelease() || own.is_prerelease())
                    && prerelease::compare(&version.prerelease, &own.prerelease).is_ne()
            }
            OpenNumber::Major if version.patch != own.patch => true,
            OpenNumber::Major => order.is_ne(),
        }
    }

    /// Returns true for a version above all that the given numbers stand for: 12 is greater than `>11`, and 11.1 is not.
    fn is_exceeded_by(&self, version: &SemanticVersion, order: Ordering) -> bool {
        let own = &self.version;
        match self.open {
            OpenNumber::None => order.is_gt(),
            _ if version.major != own.major => version.major > own.major,
            OpenNumber::Minor => false,
            OpenNumber::Patch => version.minor > own.minor,
            OpenNumber::Major => order.is_gt(),
        }
    }

    /// Returns true for a version that is not above all that the given numbers stand for: 11.9 satisfies `<=11`.
    fn is_not_exceeded_by(&self, version: &SemanticVersion, order: Ordering) -> bool {
        let own = &self.version;
        match self.open {
            OpenNumber::None => order.is_le(),
            _ if version.major != own.major => version.major < own.major,
            OpenNumber::Minor => true,
            _ => version.minor <= own.minor,
        }
    }
}
