//! The formats of an operator's writes that can differ from the default.

use std::sync::Arc;

use kubewright_core::condition::{ConditionPolicy, ConditionShape, TransitionTime};
use kubewright_core::finalizer::FinalizerWrite;
use kubewright_core::status::StatusWrite;

/// The default domain of labels, and of finalizers of kinds of the core group, which has no name (CMPT-2).
const LABEL_DOMAIN: &str = "kubewright.dev";
/// The default prefix of metrics.
const METRICS_PREFIX: &str = "kubewright";

/// The formats of another framework, for [`Operator::compat`](super::Operator::compat). They change the form of writes, never the behaviour (CMPT-4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "give it to an operator with `.compat(…)`"]
pub struct Compat {
    pub(super) label_domain: Option<Arc<str>>,
    pub(super) metrics_prefix: Option<Arc<str>>,
    pub(super) log_fields: Option<Arc<str>>,
    pub(super) condition_shape: Option<ConditionShape>,
    pub(super) transition_time: Option<TransitionTime>,
    pub(super) status_write: Option<StatusWrite>,
    pub(super) finalizer_write: Option<FinalizerWrite>,
    pub(super) is_per_controller: bool,
}

/// The formats that the author of an operator chose.
#[derive(Clone, Debug, Default)]
pub(super) struct ChosenFormats {
    /// The formats that were set one by one.
    pub(super) alone: Compat,
    preset: Compat,
}

impl ChosenFormats {
    /// Adds a preset, which overrides earlier ones.
    pub(super) fn add_preset(&mut self, preset: Compat) {
        self.preset = preset.or(std::mem::take(&mut self.preset));
    }

    /// Returns the formats that were set one by one, and the others from the preset.
    pub(super) fn resolved(&self) -> Compat {
        self.alone.clone().or(self.preset.clone())
    }
}

impl Compat {
    /// Returns the formats of operators that are built with `knative.dev/pkg` (CMPT-3): label domain `knative.dev`, metrics `kn_…`, fields of JSON log lines
    /// `knative.dev/…`, Knative's conditions whose transition time changes with reason and message, status writes by PUT, finalizers by merge patch, and
    /// leases for each controller.
    pub fn knative() -> Self {
        Self {
            label_domain: Some("knative.dev".into()),
            metrics_prefix: Some("kn".into()),
            log_fields: Some("knative.dev/".into()),
            condition_shape: Some(ConditionShape::Knative),
            transition_time: Some(TransitionTime::OnAnyChange),
            status_write: Some(StatusWrite::Put),
            finalizer_write: Some(FinalizerWrite::MergePatch),
            is_per_controller: true,
        }
    }

    /// Returns the formats that are set here, and the others from `preset`.
    pub(super) fn or(self, preset: Self) -> Self {
        Self {
            label_domain: self.label_domain.or(preset.label_domain),
            metrics_prefix: self.metrics_prefix.or(preset.metrics_prefix),
            log_fields: self.log_fields.or(preset.log_fields),
            condition_shape: self.condition_shape.or(preset.condition_shape),
            transition_time: self.transition_time.or(preset.transition_time),
            status_write: self.status_write.or(preset.status_write),
            finalizer_write: self.finalizer_write.or(preset.finalizer_write),
            is_per_controller: self.is_per_controller || preset.is_per_controller,
        }
    }

    /// Returns the domain of labels.
    pub(crate) fn label_domain(&self) -> &str {
        self.label_domain.as_deref().unwrap_or(LABEL_DOMAIN)
    }

    pub(super) fn metrics_prefix(&self) -> &str {
        self.metrics_prefix.as_deref().unwrap_or(METRICS_PREFIX)
    }

    /// Returns the form of conditions.
    pub(crate) fn conditions(&self) -> ConditionPolicy {
        ConditionPolicy { shape: self.condition_shape.unwrap_or_default(), transition: self.transition_time.unwrap_or_default() }
    }

    /// Returns the form of status writes.
    pub(crate) fn status_write(&self) -> StatusWrite {
        self.status_write.clone().unwrap_or_default()
    }

    /// Returns the form of finalizer writes.
    pub(crate) fn finalizer_write(&self) -> FinalizerWrite {
        self.finalizer_write.clone().unwrap_or_default()
    }
}
