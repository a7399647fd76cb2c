//! The standard command line: `run` (default), `dev`, `crds`, `rbac`, `version`.

mod args;
mod dev;
mod interrupts;
mod logging;
mod main;

#[cfg(test)]
mod tests;

pub use dev::{DevArgs, DevEnvironment};
pub use interrupts::Interrupts;
pub use main::{main, main_from};
