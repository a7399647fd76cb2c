//! The choice of names for a target by consistent hashing.

use std::collections::{BTreeMap, BTreeSet};

/// The number of slots on the circle, and the largest number of names that can have one.
const UNIVERSE: u64 = 2048;

/// Chooses up to `n` of the names for a target, in the order of choice. Returns all names, in byte order, if there are no more than `n`; repeated
/// names count once. Of more than 2048 names only the first 2048 in byte order can be chosen.
pub fn choose<'a, S: AsRef<str>>(names: &'a [S], n: usize, target: &str) -> Vec<&'a str> {
    let names: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
    if n >= names.len() {
        return names.into_iter().collect();
    }
    let slots = slots(&names, target);
    let start = fnv1a(&[target, "start-angle-salt"]) % UNIVERSE;
    let step = fnv1a(&[target, "step-angle-salt"]) % UNIVERSE;
    let mut free = slots;
    let mut angle = start;
    let mut chosen = Vec::with_capacity(n);
    while chosen.len() < n {
        let next = free.range(angle..).next().or_else(|| free.first_key_value());
        let Some((&slot, &name)) = next else { break };
        free.remove(&slot);
        chosen.push(name);
        angle = (angle + step) % UNIVERSE;
    }
    chosen
}

/// Returns the slot of each name. A name whose slot is taken is hashed again together with its last hash.
fn slots<'a>(names: &BTreeSet<&'a str>, target: &str) -> BTreeMap<u64, &'a str> {
    let mut slots = BTreeMap::new();
    for &name in names.iter().take(UNIVERSE as usize) {
        let mut text = format!("{name}{target}");
        let mut hash = fnv1a(&[&text]);
        while slots.contains_key(&(hash % UNIVERSE)) {
            let salt = format!("{hash:x}");
            text.push_str(&salt);
            hash = fnv1a(&[&text]);
        }
        slots.insert(hash % UNIVERSE, name);
    }
    slots
}

/// Computes the 64-bit FNV-1a hash of the concatenated texts.
pub fn fnv1a<T: AsRef<[u8]>>(texts: &[T]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.as_ref().iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
