//! The types of configuration that the parts of an operator declare.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::config::FromConfigMap;
use kubewright_core::lease::LeaderElection;

use super::entry::{AnyConfig, ConfigEntry};

/// The values that the operator's author gives.
#[derive(Clone, Default)]
pub(crate) struct ConfigValues {
    defaults: BTreeMap<TypeId, AnyConfig>,
    fixed: BTreeMap<TypeId, AnyConfig>,
}

impl ConfigValues {
    pub(crate) fn default_to<T: Any + Send + Sync>(&mut self, value: T) {
        self.defaults.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub(crate) fn fix<T: Any + Send + Sync>(&mut self, value: T) {
        self.fixed.insert(TypeId::of::<T>(), Arc::new(value));
    }
}

impl fmt::Debug for ConfigValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigValues({} defaults, {} fixed)", self.defaults.len(), self.fixed.len())
    }
}

/// The types of configuration that the parts of an operator declare.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredConfigs {
    values: ConfigValues,
    entries: BTreeMap<TypeId, ConfigEntry>,
}

/// A type of configuration as it was declared.
pub(crate) struct Declared {
    /// True if the type has no fixed value, so that its ConfigMap is read.
    pub(crate) is_read: bool,
    /// The problem of the type, if it has one.
    pub(crate) problem: Option<String>,
}

impl DeclaredConfigs {
    pub(crate) fn with(values: ConfigValues) -> Self {
        Self { values, entries: BTreeMap::new() }
    }

    /// Adds a type, for a controller if it is one that requests it.
    pub(crate) fn declare<T: FromConfigMap>(&mut self, controller: Option<&str>) -> Declared {
        let type_id = TypeId::of::<T>();
        let values = &self.values;
        let entry = self
            .entries
            .entry(type_id)
            .or_insert_with(|| ConfigEntry::of::<T>(values.defaults.get(&type_id).cloned(), values.fixed.get(&type_id).cloned()));
        entry.controllers.extend(controller.map(str::to_owned));
        let is_read = entry.fixed.is_none();
        let has_default = T::REQUIRED || entry.default.is_some();
        let errors = if is_read && !has_default { T::from_data(&BTreeMap::new()).err() } else { None };
        let problem = errors.map(|errors| {
            let errors = errors.to_string().replace('\n', "; ");
            format!(
                "the configuration {} is optional and has no value without its ConfigMap {:?}: {errors}; give each key a default, or the \
                 operator one with `.config_default(…)`",
                entry.type_name, entry.map
            )
        });
        Declared { is_read, problem }
    }

    /// Adds the configuration of leadership, which is read from a ConfigMap of this name; keys that it lacks are as in `base`. The operator waits for the
    /// correction of a ConfigMap that cannot be read, because other replicas may have read another version of it.
    pub(crate) fn leader_election(&mut self, map: &str, base: &LeaderElection, most: NonZeroU32) {
        let type_id = TypeId::of::<LeaderElection>();
        let fixed = self.values.fixed.get(&type_id).cloned();
        let (default, base) = (Arc::new(base.clone()) as AnyConfig, base.clone());
        let parse = move |data: &BTreeMap<String, String>| base.updated(data, most);
        let mut entry = ConfigEntry::parsed_by::<LeaderElection>(Some(default), fixed, parse);
        entry.map = map.to_owned().into();
        entry.must_be_readable = true;
        self.entries.insert(type_id, entry);
    }

    /// Adds the delays and limits, which are read from a ConfigMap of this name; keys that it lacks are as in `base`.
    pub(crate) fn timing(&mut self, map: &str, base: &Timing) {
        let type_id = TypeId::of::<Timing>();
        let fixed = self.values.fixed.get(&type_id).cloned();
        let (default, base) = (Arc::new(base.clone()) as AnyConfig, base.clone());
        let mut entry = ConfigEntry::parsed_by::<Timing>(Some(default), fixed, move |data| base.updated(data));
        entry.map = map.to_owned().into();
        entry.is_of_operator = true;
        // Parts may request this type, too.
        entry.controllers = self.entries.remove(&type_id).map(|entry| entry.controllers).unwrap_or_default();
        self.entries.insert(type_id, entry);
    }

    /// Returns true if the ConfigMap of any type is read.
    pub(crate) fn is_any_read(&self) -> bool {
        self.entries.values().any(|entry| entry.fixed.is_none())
    }

    /// Returns the types except those that only disabled controllers request.
    pub(crate) fn enabled(&self, disabled: &[String]) -> Vec<ConfigEntry> {
        let disabled: BTreeSet<&String> = disabled.iter().collect();
        let is_asked_for = |entry: &&ConfigEntry| {
            let is_of_operator = entry.is_of_operator || entry.controllers.is_empty();
            is_of_operator || entry.controllers.iter().any(|name| !disabled.contains(name))
        };
        self.entries.values().filter(is_asked_for).cloned().collect()
    }
}
