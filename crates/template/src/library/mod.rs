//! The functions of sprig, in groups, and those of Helm that need no chart.
//!
//! Modules, from low to high: `printing`, `limits`, `data`, `defaults`, `helm`, `lists`, `maps`, `paths`, `patterns`, `reflection`, `strings`, `urls`.

pub mod data;
mod defaults;
#[cfg(test)]
mod fake;
mod helm;
mod limits;
mod lists;
mod maps;
mod paths;
mod patterns;
mod printing;
mod reflection;
mod strings;
mod urls;

pub use helm::add_helm;

use crate::function::FunctionSet;

/// Adds the functions of sprig. Those that read the environment or ask name servers are forbidden.
pub fn add_sprig(functions: &mut FunctionSet) {
    defaults::add(functions);
    lists::add(functions);
    maps::add(functions);
    paths::add(functions);
    patterns::add(functions);
    reflection::add(functions);
    strings::add(functions);
    urls::add(functions);
    functions.forbid("env", "function \"env\" is not available in operators");
    functions.forbid("expandenv", "function \"expandenv\" is not available in operators");
    functions.forbid("getHostByName", "function \"getHostByName\" is not available in operators");
}
