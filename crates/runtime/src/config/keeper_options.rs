//! The options of the keeper of typed configuration, and the parts of the operator that it works with.

use std::sync::Arc;

use kubewright_core::config::LogLevels;
use kubewright_core::why::QueuedBy;

use super::entry::ConfigEntry;
use super::{ConfigStates, Configs, ObservabilityControl};
use crate::clock::Clock;
use crate::events::Recorder;
use crate::metrics::Metrics;
use crate::watch::Watches;

/// The function that puts log levels into effect.
pub(crate) type LevelSink = Arc<dyn Fn(&LogLevels) + Send + Sync>;

/// The function that queues all objects of the controller with this name.
pub(crate) type QueueAll = Box<dyn Fn(&str, QueuedBy) + Send + Sync>;

/// The parts of an operator that a keeper works with.
pub(crate) struct KeeperServices {
    /// The name of the operator.
    pub(crate) operator: Arc<str>,
    /// The namespace of the ConfigMaps.
    pub(crate) namespace: Arc<str>,
    /// The watches of the operator's own cluster.
    pub(crate) watches: Watches,
    /// The configuration that the keeper updates.
    pub(crate) configs: Configs,
    /// The recorder of events about invalid ConfigMaps.
    pub(crate) recorder: Recorder,
    /// The registry of metrics.
    pub(crate) metrics: Metrics,
    /// The clock of the process.
    pub(crate) clock: Clock,
    /// The function that repeats the passes of a controller whose configuration has changed.
    pub(crate) queue_all: QueueAll,
}

/// The options of a keeper.
#[derive(Default)]
pub(crate) struct KeeperOptions {
    /// The types of configuration.
    pub(crate) entries: Vec<ConfigEntry>,
    /// A label that ConfigMaps must have to be read; None reads all.
    pub(crate) label: Option<String>,
    /// The name of the ConfigMap with log levels, and the function that puts them into effect.
    pub(crate) levels: Option<(String, LevelSink)>,
    /// The name of the ConfigMap with the exports, and the prefix of its keys.
    pub(crate) observability: Option<(String, String)>,
    /// The settings that the ConfigMap with the exports controls.
    pub(crate) control: ObservabilityControl,
    /// The states of the ConfigMaps, for pages.
    pub(crate) states: ConfigStates,
}
