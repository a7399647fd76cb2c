//! Generators that are made of contents, each made once.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

/// The size, in bytes, that each generator counts besides that of its contents.
const OVERHEAD: usize = 4096;

/// Generators by the contents that they are made of, such as charts in Secrets and kustomizations in ConfigMaps. All components with the same
/// contents share one generator, so that a chart is read and compiled once, and not in each rendering.
///
/// The size of all contents is limited. The generator that was not used for the longest time is dropped first; a rendering that still uses it keeps
/// it until its end. Copies of the cache share the generators. Contents, Secrets among them, stay in memory until their generator is dropped; the
/// `Debug` output has sizes only.
///
/// ```
/// use std::sync::Arc;
///
/// use kubewright_render::{GeneratorCache, HelmChart};
///
/// // In the generator of the operator, beside each other: 64 MiB of charts.
/// let charts = GeneratorCache::new(64 << 20);
///
/// // In each rendering.
/// let archive: &[u8] = b"the bytes of a .tgz";
/// let chart = charts.get([archive], || HelmChart::archive(archive));
/// let again = charts.get([archive], || HelmChart::archive(archive));
/// assert!(Arc::ptr_eq(&chart, &again));
/// assert_eq!(charts.made(), 1);
/// ```
pub struct GeneratorCache<G> {
    limit: usize,
    cached: Arc<Mutex<CachedGenerators<G>>>,
}

struct CachedGenerators<G> {
    entries: HashMap<ContentDigest, CachedGenerator<G>>,
    /// The digests by the time of their last use, oldest first.
    by_use: BTreeMap<u64, ContentDigest>,
    /// The number of uses so far, which serves as the time.
    uses: u64,
    /// The sum of the sizes of all entries.
    size: usize,
    made: u64,
}

struct CachedGenerator<G> {
    generator: Arc<G>,
    size: usize,
    used: u64,
}

type ContentDigest = [u8; 32];

impl<G> GeneratorCache<G> {
    /// Creates a cache for contents of this size in bytes, all together. Each generator counts 4 KiB more than its contents. One that is larger than
    /// the limit alone is not kept. A compiled generator takes several times the size of its contents.
    pub fn new(limit: usize) -> Self {
        Self { limit, cached: Arc::default() }
    }

    /// Returns the generator of these contents, in this order. It is made if the cache does not have it, by a function whose result must be
    /// determined by the contents: everything else that it depends on, such as the path of a kustomization, must be one of them.
    ///
    /// `make` only creates the generator. [`HelmChart`](crate::HelmChart), [`Kustomization`](crate::Kustomization) and
    /// [`Templates`](crate::Templates) compile in their first rendering, and keep the error if that fails.
    pub fn get<'a>(&self, contents: impl IntoIterator<Item = &'a [u8]>, make: impl FnOnce() -> G) -> Arc<G> {
        let (digest, size) = digest_of(contents);
        if let Some(generator) = self.cached.lock().find(&digest) {
            return generator;
        }
        let generator = Arc::new(make());
        let mut cached = self.cached.lock();
        // Another rendering may have made the same in the meantime.
        if let Some(other) = cached.find(&digest) {
            return other;
        }
        cached.made += 1;
        if size <= self.limit {
            cached.make_room(self.limit - size);
            cached.add(digest, Arc::clone(&generator), size);
        }
        generator
    }

    /// Returns the number of generators that were made so far, dropped ones included.
    pub fn made(&self) -> u64 {
        self.cached.lock().made
    }
}

impl<G> CachedGenerators<G> {
    fn find(&mut self, digest: &ContentDigest) -> Option<Arc<G>> {
        let entry = self.entries.get_mut(digest)?;
        self.by_use.remove(&entry.used);
        self.uses += 1;
        entry.used = self.uses;
        self.by_use.insert(self.uses, *digest);
        Some(Arc::clone(&entry.generator))
    }

    /// Drops generators until the others have at most this size.
    fn make_room(&mut self, limit: usize) {
        while self.size > limit {
            let Some((_, digest)) = self.by_use.pop_first() else { return };
            self.size -= self.entries.remove(&digest).map_or(0, |entry| entry.size);
        }
    }

    fn add(&mut self, digest: ContentDigest, generator: Arc<G>, size: usize) {
        self.uses += 1;
        self.by_use.insert(self.uses, digest);
        self.entries.insert(digest, CachedGenerator { generator, size, used: self.uses });
        self.size += size;
    }
}

/// Returns the SHA-256 of contents, each with its length, and their size.
fn digest_of<'a>(contents: impl IntoIterator<Item = &'a [u8]>) -> (ContentDigest, usize) {
    let (mut hash, mut size) = (Sha256::new(), OVERHEAD);
    for content in contents {
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
        size = size.saturating_add(content.len());
    }
    (hash.finalize().into(), size)
}

impl<G> Default for CachedGenerators<G> {
    fn default() -> Self {
        Self { entries: HashMap::new(), by_use: BTreeMap::new(), uses: 0, size: 0, made: 0 }
    }
}

impl<G> Clone for GeneratorCache<G> {
    fn clone(&self) -> Self {
        Self { limit: self.limit, cached: Arc::clone(&self.cached) }
    }
}

impl<G> fmt::Debug for GeneratorCache<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cached = self.cached.lock();
        let mut debug = f.debug_struct("GeneratorCache");
        debug.field("generators", &cached.entries.len()).field("size", &cached.size).field("limit", &self.limit).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a cache of two generators of one byte.
    fn cache() -> GeneratorCache<String> {
        GeneratorCache::new(2 * (OVERHEAD + 1))
    }

    fn get(cache: &GeneratorCache<String>, content: &str) -> Arc<String> {
        cache.get([content.as_bytes()], || content.to_owned())
    }

    // GEN-9
    #[test]
    fn a_generator_is_made_once_for_equal_contents_and_anew_for_others() {
        let cache = cache();
        let [one, other] = [cache.clone(), cache];
        assert!(Arc::ptr_eq(&get(&one, "a"), &get(&other, "a")));
        assert_eq!(one.made(), 1);
        assert_eq!(*get(&other, "b"), "b");
        assert_eq!(one.made(), 2);
    }

    // GEN-9
    #[test]
    fn the_generator_that_was_not_used_for_the_longest_time_is_dropped() {
        let cache = cache();
        let (used, unused) = (get(&cache, "a"), get(&cache, "b"));
        get(&cache, "a");
        get(&cache, "c");
        assert!(Arc::ptr_eq(&used, &get(&cache, "a")));
        assert!(!Arc::ptr_eq(&unused, &get(&cache, "b")), "b was dropped");
        assert_eq!(cache.made(), 4);
        let size = 2 * (OVERHEAD + 1);
        assert_eq!(format!("{cache:?}"), format!("GeneratorCache {{ generators: 2, size: {size}, limit: {size} }}"));
    }

    // GEN-9
    #[test]
    fn contents_that_are_larger_than_the_limit_are_not_kept_and_drop_no_others() {
        let cache = cache();
        let small = get(&cache, "a");
        let large = "x".repeat(2 * OVERHEAD);
        assert!(!Arc::ptr_eq(&get(&cache, &large), &get(&cache, &large)));
        assert!(Arc::ptr_eq(&small, &get(&cache, "a")));
    }

    #[test]
    fn borders_between_contents_count() {
        let cache = cache();
        let joined =
            |contents: &[&'static str]| cache.get(contents.iter().map(|content| content.as_bytes()), || contents.join("|"));
        assert_eq!(*joined(&["a", "bc"]), "a|bc");
        assert_eq!(*joined(&["ab", "c"]), "ab|c");
        assert_eq!(*joined(&["abc", ""]), "abc|");
    }
}
