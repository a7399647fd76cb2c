//! The standard command line: `run` (default), `dev`, `crds`, `rbac`, `deploy`, `version`.

mod args;
mod deploy;
mod dev;
mod interrupts;
mod json_lines;
mod levels;
mod logging;
mod main;
mod namespace;
mod source;

#[cfg(test)]
mod tests;

pub use dev::{DevArgs, DevEnvironment};
pub use interrupts::Interrupts;
pub use json_lines::json_log_layer;
pub use main::{main, main_from};
pub use source::{MakeOperator, OperatorSource};
