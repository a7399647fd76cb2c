//! Sets of named templates.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::TemplateError;
use crate::function::FunctionSet;
use crate::syntax::{Delimiters, SourceFile, Tree, parse};
use crate::text_cache::{CompiledTrees, TextCache};

/// A compiled text: a template and those that it defines. Copies share them.
#[derive(Clone, Debug)]
pub struct CompiledTemplate {
    trees: CompiledTrees,
}

/// The named templates of one namespace, compiled.
#[derive(Clone, Debug)]
pub struct TemplateSet {
    pub(crate) functions: Arc<FunctionSet>,
    pub(crate) delimiters: Delimiters,
    pub(crate) trees: HashMap<Arc<str>, Arc<Tree>, foldhash::fast::RandomState>,
    texts: Arc<TextCache>,
    /// A number that only this set has, and copies of it with the same templates.
    number: u64,
}

/// The number of the next set.
static NEXT_SET: AtomicU64 = AtomicU64::new(0);

impl TemplateSet {
    /// Creates a set without templates.
    pub fn new(functions: Arc<FunctionSet>, delimiters: Delimiters) -> Self {
        Self { functions, delimiters, trees: HashMap::default(), texts: Arc::default(), number: next_number() }
    }

    /// Compiles a text and adds it under its name, with the templates that it defines. A template replaces one of the same name, unless the new one is
    /// empty (white space, comments and definitions), as in Go. After an error the set is as before.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), TemplateError> {
        let compiled = self.compile(name, text)?;
        self.add_compiled(&compiled);
        Ok(())
    }

    /// Compiles a text without adding it. [`Self::add_compiled`] adds the result to this set, and to others with the same functions and delimiters.
    pub fn compile(&self, name: &str, text: &str) -> Result<CompiledTemplate, TemplateError> {
        let file = Arc::new(SourceFile { name: name.into(), text: text.to_owned() });
        let trees = parse(file, &self.delimiters, &self.functions)?;
        Ok(CompiledTemplate { trees: trees.into_iter().map(Arc::new).collect() })
    }

    /// Returns a set with the same functions and delimiters that has only this text, under a name that is the same for all texts. Texts are compiled
    /// once, as far as they are kept.
    pub(crate) fn of_text(&self, name: &str, text: &str) -> Result<Self, TemplateError> {
        let trees = self.texts.get(text, || self.compile(name, text).map(|compiled| compiled.trees))?;
        let mut set = Self { texts: self.texts.clone(), ..Self::new(self.functions.clone(), self.delimiters.clone()) };
        set.add_compiled(&CompiledTemplate { trees });
        Ok(set)
    }

    /// Returns the number of texts that `tpl` has compiled so far, in executions of this set and of its copies. Texts that are kept are compiled once.
    pub fn compiled_texts(&self) -> usize {
        self.texts.compiled()
    }

    /// Adds a compiled text, as [`Self::add`] does.
    pub fn add_compiled(&mut self, template: &CompiledTemplate) {
        self.number = next_number();
        for tree in &*template.trees {
            if !tree.is_empty() || !self.trees.contains_key(&tree.name) {
                self.trees.insert(tree.name.clone(), tree.clone());
            }
        }
    }

    /// Returns a number that only this set, and copies of it with the same templates, have.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns true if the set has a template of this name.
    pub fn has(&self, name: &str) -> bool {
        self.trees.contains_key(name)
    }
}

fn next_number() -> u64 {
    NEXT_SET.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(files: &[(&str, &str)]) -> TemplateSet {
        let mut set = TemplateSet::new(Arc::default(), Delimiters::default());
        for (name, text) in files {
            set.add(name, text).unwrap();
        }
        set
    }

    fn content(set: &TemplateSet, name: &str) -> String {
        set.trees[name].root.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_adds_itself_and_its_definitions() {
        let set = set(&[("file", "{{ define \"part\" }}x{{ end }}y")]);
        assert!(set.has("file") && set.has("part") && !set.has("other"));
    }

    #[test]
    fn the_last_template_of_a_name_wins_unless_it_is_empty() {
        let define = |content| format!("{{{{ define \"part\" }}}}{content}{{{{ end }}}}");
        let mut set = set(&[("a", &define("first")), ("b", &define("second")), ("c", &define(" {{/* empty */}} "))]);
        assert_eq!(content(&set, "part"), "second");
        set.add("part", "third").unwrap();
        assert_eq!(content(&set, "part"), "third");
    }

    #[test]
    fn a_malformed_file_adds_nothing() {
        let mut set = set(&[("a", "first")]);
        let error = set.add("b", "{{ define \"a\" }}second{{ end }}\n{{ end }}").unwrap_err();
        assert_eq!(error.to_string(), "parse error at (b:2): unexpected {{end}}");
        assert_eq!(content(&set, "a"), "first");
        assert!(!set.has("b"));
    }
}
