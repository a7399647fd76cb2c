//! Semantic versions and the constraints on them, with the rules of Masterminds/semver, which Helm uses for charts, too.

mod constraint;
mod operator;
mod prerelease;
#[cfg(test)]
mod tests;
mod value;
mod version;

pub use constraint::VersionConstraint;
pub use version::{SemanticVersion, VersionError};

use self::value::VersionValue;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::GoValue;

/// Adds the functions of versions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("semver", Signature::of(&[Parameter::String]), |call| {
        let version = SemanticVersion::parse(&call.string(0).to_text())?;
        Ok(GoValue::object(VersionValue::new(version, true)))
    });
    functions.add("semverCompare", Signature::of(&[Parameter::String, Parameter::String]), |call| {
        let constraint = VersionConstraint::parse(&call.string(0).to_text())?;
        Ok(constraint.check(&SemanticVersion::parse(&call.string(1).to_text())?).into())
    });
}

impl From<VersionError> for FunctionError {
    fn from(error: VersionError) -> Self {
        Self::new(error.to_string())
    }
}
