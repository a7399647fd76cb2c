//! The execution of a tree: actions, pipelines, fields, calls; and the functions that belong to the language.
//!
//! Modules, from low to high: `place` (nodes as errors show them), `included` (kept outputs), `limits`, `noted_host`, `seen` (values with the ways in which they were reached), `language`,
//! `arguments`, `run` (the state of an execution), `error`, `evaluate` and `fields` and `calls` (pipelines), `nodes` (control structures), `engine`
//! (`include` and `tpl`).

mod arguments;
mod calls;
mod engine;
mod error;
mod evaluate;
mod fields;
mod included;
mod language;
mod limits;
mod nodes;
mod noted_host;
mod number;
mod place;
mod run;
mod seen;
#[cfg(test)]
mod tests;

pub use limits::{ExecutionUsage, TemplateLimits};
