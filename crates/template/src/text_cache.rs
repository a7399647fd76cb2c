//! Compiled texts of `tpl`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::TemplateError;
use crate::syntax::Tree;

/// The maximal length of a text that is kept, in bytes.
const LONGEST_TEXT: usize = 16 << 10;

/// The maximal length of all texts that are kept, in bytes. A compiled text is several times as large.
const MOST_BYTES: usize = 256 << 10;

/// The trees of a text: its own, and those of the templates that it defines.
pub(crate) type CompiledTrees = Arc<[Arc<Tree>]>;

/// The texts that `tpl` has compiled for the templates of a set and its copies. Charts give it the same few values in each rendering.
#[derive(Default)]
pub(crate) struct TextCache {
    texts: Mutex<KeptTexts>,
}

#[derive(Default)]
struct KeptTexts {
    trees: HashMap<Arc<str>, CompiledTrees>,
    /// The length of the kept texts.
    bytes: usize,
    /// The number of texts that were compiled.
    compiled: usize,
}

impl TextCache {
    /// Returns the trees of a text. Errors are not kept.
    pub(crate) fn get(
        &self,
        text: &str,
        compile: impl FnOnce() -> Result<CompiledTrees, TemplateError>,
    ) -> Result<CompiledTrees, TemplateError> {
        if let Some(trees) = self.texts.lock().trees.get(text) {
            return Ok(trees.clone());
        }
        let trees = compile()?;
        let mut texts = self.texts.lock();
        texts.compiled += 1;
        if text.len() > LONGEST_TEXT {
            return Ok(trees);
        }
        if texts.bytes.saturating_add(text.len()) > MOST_BYTES {
            texts.trees.clear();
            texts.bytes = 0;
        }
        if texts.trees.insert(text.into(), trees.clone()).is_none() {
            texts.bytes += text.len();
        }
        Ok(trees)
    }

    /// Returns the number of texts that were compiled.
    pub(crate) fn compiled(&self) -> usize {
        self.texts.lock().compiled
    }
}

impl fmt::Debug for TextCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} compiled texts", self.compiled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &TextCache, text: &str) {
        cache.get(text, || Ok([].into())).unwrap();
    }

    #[test]
    fn a_text_is_compiled_once() {
        let cache = TextCache::default();
        for text in ["a", "b", "a", "b"] {
            get(&cache, text);
        }
        assert_eq!(cache.compiled(), 2);
    }

    #[test]
    fn errors_and_long_texts_are_not_kept() {
        let cache = TextCache::default();
        let failed = || Err(TemplateError::NotFound { template: String::new() });
        assert!(cache.get("a", failed).is_err());
        let long = "x".repeat(LONGEST_TEXT + 1);
        get(&cache, &long);
        get(&cache, &long);
        assert_eq!(cache.compiled(), 2);
        assert_eq!(cache.texts.lock().bytes, 0);
    }

    #[test]
    fn the_length_of_all_kept_texts_is_limited() {
        let cache = TextCache::default();
        for number in 0..100 {
            get(&cache, &format!("{number:0LONGEST_TEXT$}"));
            assert!(cache.texts.lock().bytes <= MOST_BYTES);
        }
        assert_eq!(cache.compiled(), 100);
    }
}
