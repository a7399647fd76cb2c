//! Documents that were read as YAML.

use std::collections::HashMap;
use std::sync::Arc;
use std::{fmt, mem};

use parking_lot::Mutex;
use serde_json::Value;

use super::hook::ChartHook;

/// The length of the texts of one generation of documents, in bytes. Two are kept; an object is several times as large as its text.
const GENERATION: usize = 2 << 20;

/// The object of a document, and the hook that its annotations make of it.
#[derive(Clone, Debug)]
pub(super) struct ReadDocument {
    pub(super) object: Arc<Value>,
    pub(super) hook: Option<ChartHook>,
}

/// The last documents of a chart, by their texts. Most documents of a rendering are those of the one before, and reading YAML takes longer than all
/// templates. Documents that are not used for a while are forgotten, since two generations are kept, of which the older one goes when the younger one
/// is full.
#[derive(Default)]
pub(super) struct DocumentCache {
    generations: Mutex<CacheGenerations>,
}

/// Documents by their texts. Texts are long, so that the hash function of the standard library would take much of the time of a search.
type CachedDocuments = HashMap<Arc<str>, ReadDocument, foldhash::fast::RandomState>;

#[derive(Default)]
struct CacheGenerations {
    young: CachedDocuments,
    old: CachedDocuments,
    /// The length of the texts of the younger generation.
    bytes: usize,
    /// The number of documents that were read.
    read: usize,
}

impl DocumentCache {
    /// Returns the document of a text, with the text as it is kept. Errors are not kept.
    pub(super) fn get(
        &self,
        text: &str,
        read: impl FnOnce() -> Result<ReadDocument, String>,
    ) -> Result<(Arc<str>, ReadDocument), String> {
        if let Some(document) = self.generations.lock().find(text) {
            return Ok(document);
        }
        let document = read()?;
        let text = Arc::<str>::from(text);
        let mut generations = self.generations.lock();
        generations.read += 1;
        if text.len() <= GENERATION {
            generations.add(text.clone(), document.clone());
        }
        Ok((text, document))
    }

    /// Returns the number of documents that were read.
    pub(super) fn read(&self) -> usize {
        self.generations.lock().read
    }
}

impl CacheGenerations {
    fn find(&mut self, text: &str) -> Option<(Arc<str>, ReadDocument)> {
        if let Some((text, document)) = self.young.get_key_value(text) {
            return Some((text.clone(), document.clone()));
        }
        let (text, document) = self.old.remove_entry(text)?;
        self.add(text.clone(), document.clone());
        Some((text, document))
    }

    fn add(&mut self, text: Arc<str>, document: ReadDocument) {
        if self.bytes + text.len() > GENERATION {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.young.insert(text, document);
    }
}

impl fmt::Debug for DocumentCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} documents read", self.read())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &DocumentCache, text: &str) {
        cache.get(text, || Ok(ReadDocument { object: Arc::default(), hook: None })).unwrap();
    }

    #[test]
    fn a_document_is_read_once() {
        let cache = DocumentCache::default();
        for text in ["a", "b", "a", "b"] {
            get(&cache, text);
        }
        assert_eq!(cache.read(), 2);
    }

    #[test]
    fn documents_that_are_used_stay_and_others_are_forgotten() {
        let cache = DocumentCache::default();
        get(&cache, "used");
        get(&cache, "unused");
        for number in 0..10 {
            get(&cache, &format!("{number}{}", "x".repeat(GENERATION / 2)));
            get(&cache, "used");
        }
        assert_eq!(cache.read(), 12);
        let generations = cache.generations.lock();
        let length = |generation: &CachedDocuments| generation.keys().map(|text| text.len()).sum::<usize>();
        assert!(length(&generations.young) <= GENERATION && length(&generations.old) <= GENERATION);
        assert!(!generations.old.contains_key("unused"));
    }

    #[test]
    fn errors_are_not_kept() {
        let cache = DocumentCache::default();
        assert!(cache.get("a", || Err("malformed".to_owned())).is_err());
        get(&cache, "a");
        assert_eq!(cache.read(), 1);
    }
}
