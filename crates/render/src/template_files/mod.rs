//! Directories of templates: read once, compiled once, rendered many times.
//!
//! Modules, from low to high: `source`, `config`, `ignore_rules`, `options`, `loaded`, `compiled`.

mod compiled;
mod config;
mod ignore_rules;
mod loaded;
mod options;
mod source;

pub(crate) use compiled::{CompiledFiles, TemplateRun};
pub(crate) use loaded::{FileBudget, LoadedFiles, included_paths};
pub(crate) use options::{TemplateOptions, template_option_methods};
pub(crate) use source::FileSource;
