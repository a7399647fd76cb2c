//! Subcharts: those that are enabled, their aliases, and the values that their parents import.

mod aliases;
mod enabled;
mod import;
mod node;

pub(crate) use aliases::check_aliases;
pub(crate) use enabled::{check_dependencies, enable};
pub(crate) use import::import_values;
pub(crate) use node::{ChartNode, SharedChart};

use kubewright_template::library::{SemanticVersion, VersionConstraint};

/// Returns true if a version is in a range. A malformed version or range is no match.
pub(crate) fn is_in_range(range: &str, version: &str) -> bool {
    match (VersionConstraint::parse(range), SemanticVersion::parse(version)) {
        (Ok(range), Ok(version)) => range.check(&version),
        _ => false,
    }
}
