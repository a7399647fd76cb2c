//! The values of all types, and what is wrong with their ConfigMaps.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use kubewright_core::config::ConfigErrors;

use super::Snapshot;
use super::entry::{AnyConfig, ConfigEntry};

/// The values of all types of configuration.
pub(super) struct Table {
    slots: Vec<Slot>,
    /// The types whose value has changed since the last snapshot.
    changed: BTreeSet<TypeId>,
}

struct Slot {
    entry: ConfigEntry,
    value: Option<AnyConfig>,
    /// What is wrong with the ConfigMap, as it was read last.
    errors: Option<ConfigErrors>,
}

/// What a reading of a ConfigMap came to.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The errors of all types, one line for each key.
    pub(super) errors: Vec<String>,
    /// The keys that no type reads.
    pub(super) unknown: BTreeSet<String>,
    /// Whether a type has a value that its ConfigMap, which is gone, does not back.
    pub(super) is_orphaned: bool,
    /// Whether all types have a value.
    pub(super) is_usable: bool,
}

impl Table {
    /// Fixed values are there from the beginning.
    pub(super) fn new(entries: Vec<ConfigEntry>) -> Self {
        let changed = entries.iter().filter(|entry| entry.fixed.is_some()).map(|entry| entry.type_id).collect();
        let slots = entries.into_iter().map(|entry| Slot { value: entry.fixed.clone(), entry, errors: None });
        Self { slots: slots.collect(), changed }
    }

    /// The names of the ConfigMaps that are read.
    pub(super) fn maps(&self) -> BTreeSet<String> {
        self.slots.iter().filter(|slot| slot.entry.fixed.is_none()).map(|slot| slot.entry.map.clone().into_owned()).collect()
    }

    /// Takes in a ConfigMap as it is now; without data it is absent.
    pub(super) fn read(&mut self, map: &str, data: Option<&BTreeMap<String, String>>) -> Reading {
        let mut reading = Reading { is_usable: true, ..Reading::default() };
        let mut unknown: Option<BTreeSet<String>> = None;
        for slot in self.slots.iter_mut().filter(|slot| slot.entry.map == map && slot.entry.fixed.is_none()) {
            slot.errors = None;
            let next = match data.map(|data| slot.entry.parse(data)) {
                None => {
                    reading.is_orphaned |= slot.entry.default.is_none() && slot.value.is_some();
                    slot.entry.default.clone()
                }
                Some(Ok(parsed)) => {
                    unknown = Some(match unknown {
                        None => parsed.unknown_keys,
                        Some(others) => others.intersection(&parsed.unknown_keys).cloned().collect(),
                    });
                    Some(parsed.value.0)
                }
                Some(Err(errors)) => {
                    reading.errors.extend(errors.to_string().lines().map(str::to_owned));
                    slot.errors = Some(errors);
                    // The last good value stays.
                    let is_needed = slot.value.is_none() && !slot.entry.must_be_readable;
                    if is_needed { slot.entry.default.clone() } else { None }
                }
            };
            if let Some(next) = next
                && slot.value.as_ref().is_none_or(|value| !slot.entry.is_equal(value, &next))
            {
                slot.value = Some(next);
                self.changed.insert(slot.entry.type_id);
            }
            reading.is_usable &= slot.value.is_some();
        }
        reading.unknown = unknown.unwrap_or_default();
        reading.errors.sort();
        reading.errors.dedup();
        reading
    }

    /// The ConfigMaps without which there is no value, each with what is wrong with it; without errors it is absent.
    pub(super) fn missing(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut missing: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for slot in self.slots.iter().filter(|slot| slot.value.is_none()) {
            let lines = slot.errors.iter().flat_map(|errors| errors.to_string().lines().map(str::to_owned).collect::<Vec<_>>());
            missing.entry(&slot.entry.map).or_default().extend(lines);
        }
        missing
    }

    /// All values.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.slots.iter().filter_map(|slot| Some((slot.entry.type_id, slot.value.clone()?))))
    }

    /// The types whose value has changed since the last call.
    pub(super) fn take_changed(&mut self) -> Vec<&ConfigEntry> {
        let changed = std::mem::take(&mut self.changed);
        self.slots.iter().map(|slot| &slot.entry).filter(|entry| changed.contains(&entry.type_id)).collect()
    }
}
