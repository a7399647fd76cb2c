//! The settings of the ConfigMap `config-observability` in a running operator.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kubewright_core::config::{ConfigErrors, MetricsProtocol, Observability, Parsed, TracingProtocol, ValueError};
use parking_lot::Mutex;

use super::table::Reading;

/// The settings of `config-observability` in a running operator. Cheap to clone.
#[derive(Clone, Default)]
pub struct ObservabilityControl(Arc<ObservabilityState>);

#[derive(Default)]
struct ObservabilityState {
    profiles: AtomicBool,
    hides_metrics: AtomicBool,
    /// The keys whose new values take effect only after a restart.
    outdated: Mutex<Vec<&'static str>>,
}

impl ObservabilityControl {
    /// Returns true if profiles, and pages that name objects, are served.
    pub fn profiles(&self) -> bool {
        self.0.profiles.load(Ordering::Relaxed)
    }

    /// Returns true if `/metrics` is served.
    pub fn serves_metrics(&self) -> bool {
        !self.0.hides_metrics.load(Ordering::Relaxed)
    }

    /// Returns a control that allows profiles.
    #[cfg(test)]
    pub(crate) fn enabled() -> Self {
        let control = Self::default();
        control.0.profiles.store(true, Ordering::Relaxed);
        control
    }

    /// Turns `/metrics` off.
    #[cfg(test)]
    pub(crate) fn hide_metrics(&self) {
        self.0.hides_metrics.store(true, Ordering::Relaxed);
    }

    /// Returns the changed keys, without their prefix, that take effect only with the next start.
    pub fn outdated(&self) -> Vec<&'static str> {
        self.0.outdated.lock().clone()
    }
}

impl fmt::Debug for ObservabilityControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObservabilityControl").field("profiles", &self.profiles()).finish_non_exhaustive()
    }
}

/// The current values of the ConfigMap, and the settings that follow them.
pub(super) struct FollowedObservability {
    pub(super) map: String,
    prefix: String,
    current: Observability,
    /// The values at the start of the operator; None until the ConfigMap has been read or found absent.
    started: Option<Observability>,
    control: ObservabilityControl,
}

impl FollowedObservability {
    pub(super) fn new(map: String, prefix: String, control: ObservabilityControl) -> Self {
        Self { map, prefix, current: Observability::default(), started: None, control }
    }

    /// Applies the data of the ConfigMap, or None if it is absent. Invalid data leave the last valid value in effect.
    pub(super) fn read(&mut self, data: Option<&BTreeMap<String, String>>, reading: &mut Reading) {
        let none = BTreeMap::new();
        let parsed = Observability::from_data(&self.prefix, data.unwrap_or(&none)).and_then(|parsed| {
            match unbuilt(&self.prefix, &parsed.value) {
                Some(errors) => Err(errors),
                None => Ok(parsed),
            }
        });
        match parsed {
            Ok(Parsed { value, unknown_keys }) => {
                self.current = value;
                reading.unknown.extend(unknown_keys);
            }
            Err(errors) => reading.errors.extend(errors.to_string().lines().map(str::to_owned)),
        }
        let ObservabilityState { profiles, hides_metrics, outdated } = &*self.control.0;
        profiles.store(self.current.profiling, Ordering::Relaxed);
        let Some(started) = &self.started else {
            hides_metrics.store(self.current.metrics.protocol == MetricsProtocol::None, Ordering::Relaxed);
            self.started = Some(self.current.clone());
            return;
        };
        let changed = changed(started, &self.current);
        let mut outdated = outdated.lock();
        if !changed.is_empty() && *outdated != changed {
            tracing::warn!(
                config = self.map,
                keys = changed.join(", "),
                "these keys take effect when the operator is started again"
            );
        }
        *outdated = changed;
    }
}

/// Returns the keys that differ and are read only at the start (OBS-3).
fn changed(started: &Observability, now: &Observability) -> Vec<&'static str> {
    let (metrics, tracing) = (&started.metrics, &started.tracing);
    let keys = [
        ("metrics-protocol", metrics.protocol != now.metrics.protocol),
        ("metrics-endpoint", metrics.endpoint != now.metrics.endpoint),
        ("metrics-export-interval", metrics.interval != now.metrics.interval),
        ("tracing-protocol", tracing.protocol != now.tracing.protocol),
        ("tracing-endpoint", tracing.endpoint != now.tracing.endpoint),
        ("runtime-export-interval", started.runtime_export_interval != now.runtime_export_interval),
    ];
    keys.into_iter().filter(|(_, is_changed)| *is_changed).map(|(key, _)| key).collect()
}

/// Returns the errors of values that request exports which this version does not have.
fn unbuilt(prefix: &str, asked: &Observability) -> Option<ConfigErrors> {
    let otlp = |protocol: &dyn fmt::Display, allowed: &str| {
        format!("the protocol {protocol} needs the feature `otlp`, which this version does not have yet; allowed: {allowed}")
    };
    let (metrics, tracing) = (&asked.metrics, &asked.tracing);
    let of_metrics = match metrics.protocol {
        MetricsProtocol::None | MetricsProtocol::Prometheus => None,
        protocol @ (MetricsProtocol::Grpc | MetricsProtocol::HttpProtobuf) => Some(otlp(&protocol, "none, prometheus")),
    };
    let of_listener = (metrics.protocol == MetricsProtocol::Prometheus && metrics.endpoint.is_some()).then(|| {
        "this version has no listener of its own for metrics yet: they are served by the admin server; remove the key".to_owned()
    });
    let of_tracing = match tracing.protocol {
        TracingProtocol::None => None,
        protocol => Some(otlp(&protocol, "none")),
    };
    let problems = [("metrics-protocol", of_metrics), ("metrics-endpoint", of_listener), ("tracing-protocol", of_tracing)];
    let problems = problems.into_iter().filter_map(|(key, problem)| Some((format!("{prefix}{key}"), ValueError::new(problem?))));
    problems.fold(None, |errors: Option<ConfigErrors>, (key, cause)| {
        Some(match errors {
            None => ConfigErrors::new(key, cause),
            Some(errors) => errors.and(key, cause),
        })
    })
}
