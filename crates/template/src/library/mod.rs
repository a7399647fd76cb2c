//! The functions of sprig, in groups, and those of Helm that need no chart.
//!
//! Modules, from low to high: `limits`, `printing`, `numbers`, `data`, `defaults`, `helm`, `lists`, `maps`, `paths`,
//! `patterns`, `reflection`, `strings`, `urls`, `encoding`, `crypto`, `dates`, `versions`.

mod crypto;
pub mod data;
mod dates;
mod defaults;
mod encoding;
#[cfg(test)]
pub(crate) mod fake;
mod helm;
mod limits;
mod lists;
mod maps;
mod numbers;
mod paths;
mod patterns;
mod printing;
mod reflection;
mod strings;
mod urls;
mod versions;

pub use dates::add_durations;
pub use helm::add_helm;
pub use numbers::add_bits_and_addresses;
pub use versions::{SemanticVersion, VersionConstraint, VersionError};

use crate::function::FunctionSet;

/// Adds the functions of sprig. Those that read the environment or ask name servers are forbidden.
pub fn add_sprig(functions: &mut FunctionSet) {
    crypto::add(functions);
    dates::add(functions);
    defaults::add(functions);
    encoding::add(functions);
    lists::add(functions);
    maps::add(functions);
    numbers::add(functions);
    paths::add(functions);
    patterns::add(functions);
    reflection::add(functions);
    strings::add(functions);
    urls::add(functions);
    versions::add(functions);
    functions.forbid("env", "function \"env\" is not available in operators");
    functions.forbid("expandenv", "function \"expandenv\" is not available in operators");
    functions.forbid("getHostByName", "function \"getHostByName\" is not available in operators");
}
