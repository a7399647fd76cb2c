//! The reports about ConfigMaps that cannot be used, for operators of clusters (CFG-14).

use kubewright_core::flow::{Event, redact};
use kubewright_machinery::object::ObjectReference;

use super::ConfigStates;
use super::table::Reading;
use crate::events::Recorder;
use crate::metrics::{ConfigLabels, Metrics};

/// The reporter of ConfigMaps that were read.
pub(super) struct ConfigReporter {
    pub(super) namespace: String,
    pub(super) recorder: Recorder,
    pub(super) metrics: Metrics,
    pub(super) states: ConfigStates,
}

impl ConfigReporter {
    /// Reports on a ConfigMap that exists.
    pub(super) fn read(&self, map: &str, reference: &ObjectReference, reading: &Reading) {
        let gauge = self.metrics.standard().config_reloads.get_or_create(&ConfigLabels { config: map.to_owned() }).clone();
        gauge.set(i64::from(reading.errors.is_empty()));
        self.states.read(map, Some(&reference.resource_version), reading.errors.is_empty());
        let namespace = &*self.namespace;
        if !reading.errors.is_empty() {
            let error = reading.errors.join("; ");
            let remedy = if reading.is_usable {
                "the last valid value, or else the default, is in use"
            } else {
                "the operator waits for a correction"
            };
            tracing::error!(config = map, namespace, error = %redact(&error), "the configuration is invalid; {remedy}");
            self.recorder.record(reference, Event::warning("InvalidConfiguration", format!("{error}; {remedy}")));
        }
        for key in &reading.unknown {
            tracing::debug!(config = map, namespace, key, "the operator does not read this key of the configuration");
        }
    }

    /// Reports on a ConfigMap that is absent.
    pub(super) fn absent(&self, map: &str, reading: &Reading) {
        self.states.read(map, None, reading.is_usable && !reading.is_orphaned);
        if reading.is_orphaned {
            tracing::warn!(config = map, namespace = self.namespace, "the configuration is gone; its last value stays in use");
        } else if reading.is_usable {
            // The default is in use, which is no error.
            self.metrics.standard().config_reloads.get_or_create(&ConfigLabels { config: map.to_owned() }).set(1);
        }
    }
}
