//! Directories of templates: read once, compiled once, rendered many times.
//!
//! Modules, from low to high: `source`, `config`, `ignore_rules`, `options`, `loaded`, `compiled`, `directory`.

mod compiled;
mod config;
mod directory;
mod ignore_rules;
mod loaded;
mod options;
mod source;

pub(crate) use compiled::{CompiledFiles, TemplateRun};
pub(crate) use directory::TemplateDirectory;
pub(crate) use loaded::{FileBudget, LoadedFiles, included_paths};
pub(crate) use options::{TemplateOptions, template_option_methods};
pub(crate) use source::FileSource;
