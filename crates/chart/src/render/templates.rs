//! Compiled templates, shared by all renderings of a chart.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use kubewright_template::{CompiledTemplate, Delimiters, FunctionSet, TemplateError, TemplateSet};
use parking_lot::Mutex;

use super::scopes::ChartScope;
use crate::model::Chart;

/// The largest number of sets that are kept, one per combination of enabled charts.
const KEPT_SETS: usize = 64;

/// A template in the tree: its path, its chart by address, and its index there. Charts live as long as the templates.
type TemplateKey = (String, usize, usize);

/// The templates of a chart, compiled once each, and the sets that were made of them.
#[derive(Debug)]
pub(super) struct ChartTemplates {
    /// A set without templates.
    empty: TemplateSet,
    files: Mutex<HashMap<TemplateKey, (usize, CompiledFile)>>,
    sets: Mutex<HashMap<Vec<usize>, Arc<TemplateSet>>>,
}

type CompiledFile = Result<CompiledTemplate, TemplateError>;

impl ChartTemplates {
    pub(super) fn new(functions: FunctionSet) -> Self {
        let empty = TemplateSet::new(Arc::new(functions), Delimiters::default());
        Self { empty, files: Mutex::default(), sets: Mutex::default() }
    }

    /// Returns the number of texts that have been compiled: files, and texts of `tpl`.
    pub(super) fn compiled_texts(&self) -> usize {
        self.files.lock().len() + self.empty.compiled_texts()
    }

    /// Compiles a template without making a set.
    pub(super) fn compile(&self, path: &str, scope: &ChartScope) -> Result<(), TemplateError> {
        self.file(path, &scope.chart, scope.index).1.map(drop)
    }

    /// Returns the set of templates, which are added in this order.
    pub(super) fn set(&self, templates: &[(&str, &ChartScope)]) -> Result<Arc<TemplateSet>, TemplateError> {
        let mut numbers = Vec::with_capacity(templates.len());
        let mut compiled = Vec::with_capacity(templates.len());
        for (path, scope) in templates {
            let (number, file) = self.file(path, &scope.chart, scope.index);
            numbers.push(number);
            compiled.push(file?);
        }
        if let Some(set) = self.sets.lock().get(&numbers) {
            return Ok(set.clone());
        }
        let mut set = self.empty.clone();
        for file in &compiled {
            set.add_compiled(file);
        }
        let set = Arc::new(set);
        let mut sets = self.sets.lock();
        if sets.len() >= KEPT_SETS {
            sets.clear();
        }
        sets.insert(numbers, set.clone());
        Ok(set)
    }

    /// Returns a compiled file with its number.
    fn file(&self, path: &str, chart: &Arc<Chart>, index: usize) -> (usize, CompiledFile) {
        let key = (path.to_owned(), Arc::as_ptr(chart) as usize, index);
        let mut files = self.files.lock();
        let number = files.len();
        let entry = files.entry(key).or_insert_with(|| {
            let data = chart.templates.get(index).map_or(&[][..], |file| &file.data);
            // The check alone is several times as fast as the replacement of what is no UTF-8.
            let text = str::from_utf8(data).map_or_else(|_| String::from_utf8_lossy(data), Cow::Borrowed);
            (number, self.empty.compile(path, &text))
        });
        entry.clone()
    }
}
