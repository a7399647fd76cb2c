//! Versions as values of templates.

use std::any::Any;
use std::cmp::Ordering;

use super::prerelease;
use super::version::{SemanticVersion, are_identifiers};
use crate::error::FunctionError;
use crate::function::{Parameter, Signature};
use crate::library::limits;
use crate::value::{GoObject, GoValue, IntegerType};

const POINTER: &str = "*semver.Version";

/// A `*semver.Version`, as `semver` returns it, or a `semver.Version`, as the methods do that make another version of it.
#[derive(Debug)]
pub(super) struct VersionValue {
    version: SemanticVersion,
    is_pointer: bool,
}

impl VersionValue {
    /// Creates a value.
    pub(super) const fn new(version: SemanticVersion, is_pointer: bool) -> Self {
        Self { version, is_pointer }
    }

    fn next(&self, name: &str) -> Result<GoValue, FunctionError> {
        let version = &self.version;
        let overflow = |part: &str| FunctionError::new(format!("{part} version increment would overflow uint64"));
        let next = match name {
            "IncMajor" => version.successor(version.major.checked_add(1).ok_or_else(|| overflow("major"))?, 0, 0),
            "IncMinor" => version.successor(version.major, version.minor.checked_add(1).ok_or_else(|| overflow("minor"))?, 0),
            // The next patch of a pre-release is its release.
            _ if version.is_prerelease() => version.successor(version.major, version.minor, version.patch),
            _ => {
                let patch = version.patch.checked_add(1).ok_or_else(|| overflow("patch"))?;
                version.successor(version.major, version.minor, patch)
            }
        };
        Ok(GoValue::object(Self::new(next, false)))
    }

    fn with(&self, name: &str, text: &str) -> Result<GoValue, FunctionError> {
        let mut version = self.version.clone();
        if name == "SetPrerelease" {
            prerelease::check(text)?;
            if !text.is_empty() && !are_identifiers(text) {
                return Err(FunctionError::new("invalid prerelease string"));
            }
            text.clone_into(&mut version.prerelease);
        } else {
            if !text.is_empty() && !are_identifiers(text) {
                return Err(FunctionError::new("invalid metadata string"));
            }
            text.clone_into(&mut version.metadata);
        }
        Ok(GoValue::object(Self::new(version.renamed(), false)))
    }
}

impl GoObject for VersionValue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        if self.is_pointer { POINTER } else { "semver.Version" }
    }

    fn kind(&self) -> &'static str {
        if self.is_pointer { "ptr" } else { "struct" }
    }

    fn method(&self, name: &str) -> Option<Signature> {
        let parameters: &'static [Parameter] = match name {
            "IncMajor" | "IncMinor" | "IncPatch" | "Major" | "Metadata" | "Minor" | "Original" | "Patch" | "Prerelease"
            | "String" => &[],
            "Compare" | "Equal" | "GreaterThan" | "GreaterThanEqual" | "LessThan" | "LessThanEqual" => {
                &[Parameter::Object(POINTER)]
            }
            "SetMetadata" | "SetPrerelease" => &[Parameter::String],
            _ => return None,
        };
        Some(Signature::of(parameters))
    }

    fn call(&self, name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let number = |value: u64| GoValue::Integer(value.into(), IntegerType::Uint64);
        let version = &self.version;
        Ok(match name {
            "Major" => number(version.major),
            "Minor" => number(version.minor),
            "Patch" => number(version.patch),
            "Prerelease" => GoValue::string(&*version.prerelease),
            "Metadata" => GoValue::string(&*version.metadata),
            "Original" => GoValue::string(&*version.original),
            "String" => GoValue::string(version.to_string()),
            "SetMetadata" | "SetPrerelease" => match arguments.first() {
                Some(GoValue::String(text)) => self.with(name, &text.to_text())?,
                _ => self.with(name, "")?,
            },
            "IncMajor" | "IncMinor" | "IncPatch" => self.next(name)?,
            comparison => {
                let order = match arguments.first().and_then(version_of) {
                    Some(other) => version.compare(other),
                    // Only the test for equality expects nil.
                    None if comparison == "Equal" => return Ok(false.into()),
                    None => return Err(limits::nil_pointer()),
                };
                compared(comparison, order)
            }
        })
    }

    fn text(&self) -> Option<String> {
        Some(self.version.to_string())
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(self.version.to_string().into())
    }
}

fn version_of(value: &GoValue) -> Option<&SemanticVersion> {
    match value {
        GoValue::Object(object) => object.as_any().downcast_ref().map(|value: &VersionValue| &value.version),
        _ => None,
    }
}

fn compared(name: &str, order: Ordering) -> GoValue {
    match name {
        "Equal" => order.is_eq().into(),
        "GreaterThan" => order.is_gt().into(),
        "GreaterThanEqual" => order.is_ge().into(),
        "LessThan" => order.is_lt().into(),
        "LessThanEqual" => order.is_le().into(),
        _ => GoValue::int(order as i64),
    }
}
