//! Sets of named templates.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::error::TemplateError;
use crate::execute::execute;
use crate::function::{FunctionSet, TemplateHost};
use crate::syntax::Tree;
use crate::value::{GoString, GoValue};

/// The marks around actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimiters {
    /// The mark before an action. The default is `{{`.
    pub left: String,
    /// The mark after an action. The default is `}}`.
    pub right: String,
}

impl Default for Delimiters {
    fn default() -> Self {
        Self { left: "{{".to_owned(), right: "}}".to_owned() }
    }
}

/// The limits of one execution. Exceeding one is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateLimits {
    /// The maximum size of the output, in bytes, those of `include` and `tpl` counted too. The default is 64 MiB.
    pub output: usize,
    /// The maximum number of templates that are executed inside each other. The default is 1000.
    pub depth: usize,
    /// The maximum number of executed nodes. The default is 50 million.
    pub steps: u64,
    /// The maximum duration. The default is 30 s.
    pub time: Duration,
}

impl Default for TemplateLimits {
    fn default() -> Self {
        Self { output: 64 << 20, depth: 1000, steps: 50_000_000, time: Duration::from_secs(30) }
    }
}

/// The named templates of one namespace, compiled.
#[derive(Clone, Debug)]
pub struct TemplateSet {
    pub(crate) functions: Arc<FunctionSet>,
    pub(crate) delimiters: Delimiters,
    pub(crate) trees: BTreeMap<Arc<str>, Arc<Tree>>,
}

impl TemplateSet {
    /// Creates a set without templates.
    pub fn new(functions: Arc<FunctionSet>, delimiters: Delimiters) -> Self {
        Self { functions, delimiters, trees: BTreeMap::new() }
    }

    /// Compiles a text and adds it under its name, with the templates that it defines. A template replaces one of the same name, unless the new one is
    /// empty and the old one is not, as in Go.
    pub fn add(&mut self, _name: &str, _text: &str) -> Result<(), TemplateError> {
        unimplemented!()
    }

    /// Returns true if the set has a template of this name.
    pub fn has(&self, _name: &str) -> bool {
        unimplemented!()
    }

    /// Executes a template. The output has no `<no value>`.
    pub fn execute(
        &self,
        name: &str,
        data: &GoValue,
        host: &dyn TemplateHost,
        limits: &TemplateLimits,
    ) -> Result<GoString, TemplateError> {
        execute(self, name, data, host, limits)
    }
}
