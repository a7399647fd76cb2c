//! The values of all types, and the errors of their ConfigMaps.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use kubewright_core::config::ConfigErrors;

use super::ConfigSnapshot;
use super::entry::{AnyConfig, ConfigEntry};

/// The values of all types of configuration.
pub(super) struct ConfigTable {
    slots: Vec<ConfigSlot>,
    /// The types whose value has changed since the last snapshot.
    changed: BTreeSet<TypeId>,
}

struct ConfigSlot {
    entry: ConfigEntry,
    value: Option<AnyConfig>,
    /// The errors of the ConfigMap when it was last read.
    errors: Option<ConfigErrors>,
}

/// The result of reading a ConfigMap.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The errors of all types, one line for each key.
    pub(super) errors: Vec<String>,
    /// The keys that no type reads.
    pub(super) unknown: BTreeSet<String>,
    /// True if a type keeps the value of a ConfigMap that was deleted.
    pub(super) is_orphaned: bool,
    /// True if all types have a value.
    pub(super) is_usable: bool,
}

impl ConfigTable {
    /// Creates a table, in which fixed values are present from the beginning.
    pub(super) fn new(entries: Vec<ConfigEntry>) -> Self {
        let changed = entries.iter().filter(|entry| entry.fixed.is_some()).map(|entry| entry.type_id).collect();
        let slots = entries.into_iter().map(|entry| ConfigSlot { value: entry.fixed.clone(), entry, errors: None });
        Self { slots: slots.collect(), changed }
    }

    /// Returns the names of the ConfigMaps that are read.
    pub(super) fn maps(&self) -> BTreeSet<String> {
        self.slots.iter().filter(|slot| slot.entry.fixed.is_none()).map(|slot| slot.entry.map.clone().into_owned()).collect()
    }

    /// Reads the current data of a ConfigMap; None means that it is absent.
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
                    // The last valid value stays.
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

    /// Returns the ConfigMaps whose types have no value, each with its errors; one without errors is absent.
    pub(super) fn missing(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut missing: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for slot in self.slots.iter().filter(|slot| slot.value.is_none()) {
            let lines = slot.errors.iter().flat_map(|errors| errors.to_string().lines().map(str::to_owned).collect::<Vec<_>>());
            missing.entry(&slot.entry.map).or_default().extend(lines);
        }
        missing
    }

    /// Returns a snapshot of all values.
    pub(super) fn snapshot(&self) -> ConfigSnapshot {
        ConfigSnapshot::new(self.slots.iter().filter_map(|slot| Some((slot.entry.type_id, slot.value.clone()?))))
    }

    /// Returns the types whose value has changed since the last call.
    pub(super) fn take_changed(&mut self) -> Vec<&ConfigEntry> {
        let changed = std::mem::take(&mut self.changed);
        self.slots.iter().map(|slot| &slot.entry).filter(|entry| changed.contains(&entry.type_id)).collect()
    }
}
