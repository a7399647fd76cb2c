//! The last passes of the keys of one controller.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::Key;

use super::PassRecord;

/// The limits of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// The number of passes of one key. Default: 10.
    pub per_key: usize,
    /// The number of passes of all keys. Default: 4096.
    pub records: usize,
    /// The approximate memory of all passes, in bytes. Default: 4 MiB.
    pub bytes: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { per_key: 10, records: 4096, bytes: 4 << 20 }
    }
}

/// The last passes of each key, within limits: the key whose last pass is the oldest is forgotten first.
#[derive(Default)]
pub struct History {
    limits: HistoryLimits,
    keys: HashMap<Key, Passes>,
    /// The keys by their last pass.
    order: BTreeMap<u64, Key>,
    /// A counter of the passes of all keys.
    turn: u64,
    records: usize,
    bytes: usize,
}

struct Passes {
    records: VecDeque<Arc<PassRecord>>,
    /// The turn of the last pass.
    turn: u64,
    bytes: usize,
}

impl History {
    /// Creates a history with these limits.
    pub fn new(limits: HistoryLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Adds a pass, and returns its number: one more than that of the last one, and more than `passed`, the number of passes known from elsewhere.
    pub fn add(&mut self, key: &Key, mut record: PassRecord, passed: u64) -> u64 {
        let number = self.last(key).map_or(0, |last| last.number).max(passed) + 1;
        record.number = number;
        let weight = record.weight();
        let turn = self.turn;
        self.turn += 1;
        let passes = self.keys.entry(key.clone()).or_insert_with(|| Passes { records: VecDeque::new(), turn, bytes: 0 });
        let key = self.order.remove(&passes.turn).unwrap_or_else(|| key.clone());
        self.order.insert(turn, key);
        passes.turn = turn;
        passes.records.push_back(Arc::new(record));
        passes.bytes += weight;
        self.records += 1;
        self.bytes += weight;
        while passes.records.len() > self.limits.per_key.max(1) {
            if let Some(oldest) = passes.records.pop_front() {
                let weight = oldest.weight();
                passes.bytes -= weight;
                self.bytes -= weight;
                self.records -= 1;
            }
        }
        self.shrink();
        number
    }

    /// Returns the passes of a key, the oldest first.
    pub fn of(&self, key: &Key) -> Vec<Arc<PassRecord>> {
        self.keys.get(key).map(|passes| passes.records.iter().cloned().collect()).unwrap_or_default()
    }

    /// Returns the last pass of a key.
    pub fn last(&self, key: &Key) -> Option<&Arc<PassRecord>> {
        self.keys.get(key)?.records.back()
    }

    /// Returns the passes of all keys, grouped by key.
    pub fn all(&self) -> impl Iterator<Item = &Arc<PassRecord>> {
        self.keys.values().flat_map(|passes| &passes.records)
    }

    /// Returns the number of keys with passes.
    pub fn keys(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of passes.
    pub const fn records(&self) -> usize {
        self.records
    }

    /// Returns the approximate memory of the passes, in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets keys until the limits hold, except the last key.
    fn shrink(&mut self) {
        while (self.records > self.limits.records || self.bytes > self.limits.bytes) && self.order.len() > 1 {
            let Some((_, key)) = self.order.pop_first() else { return };
            if let Some(passes) = self.keys.remove(&key) {
                self.records -= passes.records.len();
                self.bytes -= passes.bytes;
            }
        }
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("keys", &self.keys.len()).field("records", &self.records).finish_non_exhaustive()
    }
}
