//! Names of leases, which are the names of buckets (LDR-10 to LDR-12).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The leases with which one operator, or one of its controllers, divides its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSet {
    prefix: Arc<str>,
    names: Vec<Arc<str>>,
    /// True if the names end in their number and the number of buckets.
    numbered: bool,
    /// The prefixes of lease sets that divide the same keys in another way.
    others: Vec<Arc<str>>,
}

impl LeaseSet {
    /// Creates the set of a whole operator: `<operator>.<NN>-of-<BB>`.
    pub fn of_operator(operator: &str, buckets: NonZeroU32, prefixes: &PrefixMap) -> Self {
        Self::numbered(operator, buckets, prefixes)
    }

    /// Creates the set of one controller: `<operator>.<controller>.<NN>-of-<BB>`.
    pub fn of_controller(operator: &str, controller: &str, buckets: NonZeroU32, prefixes: &PrefixMap) -> Self {
        Self::numbered(&format!("{operator}.{controller}"), buckets, prefixes)
    }

    /// Creates a set of one lease with exactly this name, for instance for an operator that had a single plain lease before.
    pub fn named(name: &str) -> Self {
        Self { prefix: name.into(), names: vec![name.into()], numbered: false, others: Vec::new() }
    }

    fn numbered(prefix: &str, buckets: NonZeroU32, prefixes: &PrefixMap) -> Self {
        let prefix = prefixes.map(prefix);
        let names = (0..buckets.get()).map(|index| format!("{prefix}.{index:02}-of-{buckets:02}").into()).collect();
        Self { prefix: prefix.into(), names, numbered: true, others: Vec::new() }
    }

    /// Adds lease sets that divide the same keys in another way, whatever their numbers of buckets: those of the controllers of an operator beside
    /// its own one, or the other way round. Sets with the same prefix are skipped.
    #[must_use]
    pub fn beside(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        let others = others.into_iter().filter(|other| other.numbered && other.prefix != self.prefix);
        self.others = others.map(|other| other.prefix).collect();
        self
    }

    /// Returns the names in the order of their numbers.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Returns the number of buckets.
    pub fn buckets(&self) -> usize {
        self.names.len()
    }

    /// Returns true if other leases could divide the same keys. A lease with an explicit name has no such relatives.
    pub fn has_relatives(&self) -> bool {
        self.numbered
    }

    /// Returns true if a lease belongs to replicas that divide the same keys into another number of buckets, or in another way (LDR-33). A lease with
    /// an explicit name has no such relatives.
    pub fn overlaps(&self, lease: &str) -> bool {
        let is_other = |prefix: &str| self.numbered && self.others.iter().any(|other| **other == *prefix);
        self.is_of_other_number(lease) || numbers(lease).is_some_and(|(prefix, _)| is_other(prefix))
    }

    /// Returns true if a lease has the prefix of this set and another number of buckets.
    pub(super) fn is_of_other_number(&self, lease: &str) -> bool {
        self.numbered
            && numbers(lease).is_some_and(|(prefix, buckets)| *prefix == *self.prefix && buckets as usize != self.names.len())
    }
}

/// Returns the prefix and the number of buckets of a name `<prefix>.<NN>-of-<BB>`.
fn numbers(lease: &str) -> Option<(&str, u32)> {
    let number =
        |text: &str| text.parse::<u32>().ok().filter(|_| text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_digit()));
    let (prefix, rest) = lease.rsplit_once('.')?;
    let (index, buckets) = rest.split_once("-of-")?;
    number(index)?;
    Some((prefix, number(buckets)?))
}

/// Replacements of lease name prefixes, from `map-lease-prefix.<from>` of the ConfigMap `config-leader-election`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixMap(BTreeMap<String, String>);

impl PrefixMap {
    /// Adds a replacement. Returns false and changes nothing if the prefix already has another replacement; the case of letters does not matter.
    pub fn insert(&mut self, from: &str, to: &str) -> bool {
        let (from, to) = (from.to_lowercase(), to.to_lowercase());
        *self.0.entry(from).or_insert_with(|| to.clone()) == to
    }

    /// Adds the replacements of another map for prefixes that this one does not replace.
    pub(super) fn extend(&mut self, other: &Self) {
        for (from, to) in &other.0 {
            self.0.entry(from.clone()).or_insert_with(|| to.clone());
        }
    }

    /// Returns true if there are no replacements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the replacement of a prefix, or the prefix itself, in lower case.
    fn map(&self, prefix: &str) -> String {
        let prefix = prefix.to_lowercase();
        self.0.get(&prefix).cloned().unwrap_or(prefix)
    }
}
