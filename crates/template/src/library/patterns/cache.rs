//! Compiled expressions.

use std::collections::HashMap;
use std::sync::Arc;

use kubewright_machinery::pattern::GoPattern;
use parking_lot::Mutex;

use crate::value::GoString;

/// The maximal number of expressions that are kept. Most templates have a few, which are used in loops.
const MOST_PATTERNS: usize = 256;

/// The maximal length of the text of an expression that is kept, in bytes.
const LONGEST_SOURCE: usize = 4096;

type Compiled = Result<Arc<GoPattern>, String>;

/// The expressions that the templates of a set have used, since compiling takes longer than matching.
#[derive(Default)]
pub(super) struct PatternCache {
    compiled: Mutex<HashMap<GoString, Compiled>>,
}

impl PatternCache {
    /// Returns the expression of a text. An error has the text of Go.
    pub(super) fn get(&self, source: &GoString) -> Compiled {
        if let Some(compiled) = self.compiled.lock().get(source) {
            return compiled.clone();
        }
        let compiled = match std::str::from_utf8(source.as_bytes()) {
            Ok(text) => GoPattern::compile(text).map(Arc::new),
            Err(_) => Err(format!("error parsing regexp: invalid UTF-8: `{}`", source.to_text())),
        };
        if source.len() > LONGEST_SOURCE {
            return compiled;
        }
        let mut known = self.compiled.lock();
        if known.len() >= MOST_PATTERNS {
            known.clear();
        }
        known.insert(source.clone(), compiled.clone());
        compiled
    }
}
