//! The keeper of typed configuration: it reads all ConfigMaps and follows their changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::config::LogLevels;
use kubewright_core::flow::redact;
use kubewright_core::why::QueuedBy;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::Configs;
use super::keeper_options::{KeeperOptions, KeeperServices, LevelSink, QueueAll};
use super::maps::{ConfigMapProjector, FoundMap, watch_of};
use super::observability::FollowedObservability;
use super::report::ConfigReporter;
use super::table::{ConfigTable, Reading};
use crate::clock::Clock;
use crate::watch::{Changes, ProjectedStore};

/// The time within which a further change joins the same swap of the snapshot.
const TOGETHER: Duration = Duration::from_millis(100);
/// The longest delay of a swap, however many changes follow each other.
const LONGEST: Duration = Duration::from_secs(1);

/// A ConfigMap in the form that the store keeps.
type Kept = Arc<Option<Box<FoundMap>>>;
type Maps = ProjectedStore<Option<Box<FoundMap>>>;

/// The keeper of typed configuration: it reads all ConfigMaps and follows their changes.
pub(crate) struct Keeper {
    operator: Arc<str>,
    configs: Configs,
    table: ConfigTable,
    levels: Option<FollowedLevels>,
    observability: Option<FollowedObservability>,
    source: Option<WatchedConfigMaps>,
    /// The label that ConfigMaps must have to be read.
    label: Option<String>,
    reporter: ConfigReporter,
    queue_all: QueueAll,
    clock: Clock,
    waiting: SnapshotWait,
}

/// The ConfigMaps in the cluster.
struct WatchedConfigMaps {
    store: Maps,
    changes: Changes<Option<Box<FoundMap>>>,
    /// The ConfigMaps that have been read, by name.
    read: BTreeMap<String, Option<Kept>>,
    /// The names of the ConfigMaps from which types are read.
    typed: BTreeSet<String>,
    names: Arc<BTreeSet<String>>,
}

/// The log levels that are in effect.
struct FollowedLevels {
    map: String,
    current: LogLevels,
    apply: LevelSink,
}

/// The state of the wait for the first snapshot. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct SnapshotWait(Arc<Mutex<WaitingState>>);

#[derive(Default)]
struct WaitingState {
    is_loaded: bool,
    store: Option<Maps>,
    culprits: Vec<String>,
}

impl SnapshotWait {
    /// Returns the watch or the ConfigMaps for which the first snapshot waits; nothing once the configuration is loaded.
    pub(crate) fn culprits(&self) -> Vec<String> {
        let state = self.0.lock();
        match &state.store {
            Some(store) if !state.is_loaded && !store.is_synced() => {
                let error = store.status().error.map(|error| format!(" ({error})")).unwrap_or_default();
                vec![format!("the watch of {store}{error}")]
            }
            _ => state.culprits.clone(),
        }
    }
}

impl Keeper {
    /// Creates a keeper and starts its watch, unless it has no ConfigMap to read.
    pub(crate) fn start(services: KeeperServices, options: KeeperOptions) -> Self {
        let KeeperServices { operator, namespace, watches, configs, recorder, metrics, clock, queue_all } = services;
        let KeeperOptions { entries, label, levels, observability, control, states } = options;
        let table = ConfigTable::new(entries);
        let typed = table.maps();
        let mut names = typed.clone();
        names.extend(levels.iter().map(|(map, _)| map.clone()));
        names.extend(observability.iter().map(|(map, _)| map.clone()));
        let namespace = namespace.to_string();
        let source = (!names.is_empty()).then(|| {
            let names = Arc::new(names);
            let spec = watch_of(&namespace, label.as_deref());
            let store = watches.subscribe(spec, Arc::new(ConfigMapProjector(Arc::clone(&names))));
            let changes = store.changes();
            WatchedConfigMaps { store, changes, read: BTreeMap::new(), typed, names }
        });
        let levels = levels.map(|(map, apply)| FollowedLevels { map, current: LogLevels::default(), apply });
        let observability = observability.map(|(map, prefix)| FollowedObservability::new(map, prefix, control));
        let reporter = ConfigReporter { namespace, recorder, metrics, states };
        Self {
            operator,
            configs,
            table,
            levels,
            observability,
            source,
            label,
            reporter,
            queue_all,
            clock,
            waiting: SnapshotWait::default(),
        }
    }

    /// Returns true if any type is read from a ConfigMap.
    pub(crate) fn reads_types(&self) -> bool {
        self.source.as_ref().is_some_and(|source| !source.typed.is_empty())
    }

    /// Returns the state of the wait of [`load`](Self::load).
    pub(crate) fn waiting(&self) -> SnapshotWait {
        self.waiting.clone()
    }

    /// Makes the first snapshot once the first list is complete and each type has a value. It does not wait if no type is read.
    pub(crate) async fn load(&mut self) {
        if let Some(source) = self.source.as_ref().filter(|source| !source.typed.is_empty()) {
            self.waiting.0.lock().store = Some(source.store.clone());
            source.store.synced().await;
            self.read();
            while !self.tell_missing().is_empty() {
                self.next_change().await;
                self.read();
            }
        }
        *self.waiting.0.lock() = WaitingState { is_loaded: true, ..WaitingState::default() };
        self.swap();
    }

    /// Follows the ConfigMaps until `stop`.
    pub(crate) async fn follow(mut self, stop: CancellationToken) {
        let following = async {
            // The ConfigMaps of types are loaded already; those that the start does not wait for are read now.
            if let Some(source) = &self.source {
                source.store.synced().await;
                self.read();
                self.swap();
            }
            loop {
                self.next_change().await;
                let end = self.clock.moment() + LONGEST;
                // Further changes are collected until none has come for a while.
                loop {
                    let left = end.since(self.clock.moment());
                    let clock = self.clock.clone();
                    if left.is_zero() || clock.limit(TOGETHER.min(left), self.next_change()).await.is_err() {
                        break;
                    }
                }
                self.read();
                self.swap();
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = following => {}
        }
    }

    /// Waits for the next change of a ConfigMap that is read.
    async fn next_change(&mut self) {
        let Some(source) = &mut self.source else { return std::future::pending().await };
        loop {
            match source.changes.next().await {
                Some(change) if source.names.contains(change.key.name()) => return,
                Some(_) => {}
                None => return std::future::pending().await,
            }
        }
    }

    /// Reads the ConfigMaps that have changed since they were last read.
    fn read(&mut self) {
        let Some(source) = &mut self.source else { return };
        for name in source.names.iter() {
            let found = source.store.find(&self.reporter.namespace, name);
            let is_read = source.read.get(name).is_some_and(|read| data_in(read.as_ref()) == data_in(found.as_ref()));
            source.read.insert(name.clone(), found.clone());
            let map = found.as_deref().and_then(Option::as_deref);
            if is_read {
                self.reporter.states.touched(name, map.map(|map| map.reference.resource_version.as_str()));
                continue;
            }
            let mut reading = self.table.read(name, map.map(|map| &map.data));
            let is_of_levels = self.levels.as_mut().filter(|levels| levels.map == *name);
            if let Some(levels) = is_of_levels {
                levels.read(&self.operator, map, &mut reading);
            }
            let is_of_observability = self.observability.as_mut().filter(|observability| observability.map == *name);
            if let Some(observability) = is_of_observability {
                observability.read(map.map(|map| &map.data), &mut reading);
            }
            match map {
                Some(map) => self.reporter.read(name, &map.reference, &reading),
                None => self.reporter.absent(name, &reading),
            }
        }
    }

    /// Logs and returns the ConfigMaps that the first snapshot waits for.
    fn tell_missing(&self) -> Vec<String> {
        let namespace = &self.reporter.namespace;
        let culprit = |(map, errors): (&str, BTreeSet<String>)| {
            let errors: Vec<String> = errors.into_iter().collect();
            let found =
                self.source.as_ref().and_then(|source| source.store.find(namespace, map)).is_some_and(|kept| kept.is_some());
            let problem = match &self.label {
                _ if found => errors.join("; "),
                Some(label) => format!("it does not exist, or lacks the label {label:?}"),
                None => "it does not exist".to_owned(),
            };
            format!("ConfigMap {namespace}/{map} ({})", redact(&problem))
        };
        let culprits: Vec<String> = self.table.missing().into_iter().map(culprit).collect();
        self.waiting.0.lock().culprits.clone_from(&culprits);
        culprits
    }

    /// Swaps the snapshot if a value has changed, and queues the objects of the controllers that requested the value.
    fn swap(&mut self) {
        let snapshot = self.table.snapshot();
        let changed = self.table.take_changed();
        if changed.is_empty() {
            return;
        }
        let mut maps: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for entry in &changed {
            for controller in &entry.controllers {
                maps.entry(controller.clone()).or_default().insert(&entry.map);
            }
        }
        let all: BTreeSet<&str> = changed.iter().map(|entry| &*entry.map).collect();
        tracing::info!(config = joined(&all), "the configuration is loaded");
        self.configs.swap(snapshot, changed);
        for (controller, maps) in maps {
            (self.queue_all)(&controller, QueuedBy::Configuration { name: joined(&maps).into() });
        }
    }
}

fn joined(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}

/// Returns the data of a ConfigMap, or None if it is absent.
fn data_in(kept: Option<&Kept>) -> Option<&BTreeMap<String, String>> {
    Some(&kept?.as_ref().as_ref()?.data)
}

impl FollowedLevels {
    fn read(&mut self, operator: &str, map: Option<&FoundMap>, reading: &mut Reading) {
        let none = BTreeMap::new();
        let (levels, errors) = self.current.updated(operator, map.map_or(&none, |map| &map.data));
        reading.errors.extend(errors.iter().flat_map(|errors| errors.to_string().lines().map(str::to_owned).collect::<Vec<_>>()));
        if levels != self.current {
            (self.apply)(&levels);
            self.current = levels;
        }
        // The other keys of this ConfigMap belong to other operators and to the log format.
        reading.unknown.clear();
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.source.as_ref().map(|source| &source.names);
        f.debug_struct("Keeper").field("maps", &names).finish_non_exhaustive()
    }
}
