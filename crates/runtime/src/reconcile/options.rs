use std::num::NonZero;
use std::time::Duration;

use kubewright_core::backoff::{PersistedBackoff, RateLimiter};
use kubewright_core::class::ClassFilter;
use kubewright_core::condition::{ConditionEvents, ConditionPolicy};
use kubewright_core::finalizer::{FinalizerName, FinalizerWrite, GiveUp};
use kubewright_core::flow::{Class, Delay};
use kubewright_core::queue::Drain;
use kubewright_core::status::StatusWrite;
use serde_json::Value;

use super::pipeline::Layers;
use crate::ensure::ChildOptions;
use crate::operator::Rule;

/// The options of a controller.
#[derive(Debug)]
pub(super) struct ControllerOptions {
    /// The name, either the author's or the default one.
    pub(super) name: String,
    /// True if the author set the name.
    pub(super) is_named: bool,
    pub(super) agent: Option<String>,
    pub(super) finalizer: Option<String>,
    /// The finalizer of `finalizer`, if it was validated already.
    pub(super) finalizer_name: Option<FinalizerName>,
    pub(super) legacy_finalizers: Vec<String>,
    pub(super) finalizer_care: FinalizerCare,
    pub(super) give_up: GiveUp,
    pub(super) workers: Option<usize>,
    pub(super) drain: Drain,
    pub(super) time_limit: Option<Duration>,
    pub(super) resync: Option<Duration>,
    /// The form of conditions; None for that of the operator.
    pub(super) policy: Option<ConditionPolicy>,
    pub(super) condition_events: ConditionEvents,
    /// The form of status writes; None for that of the operator.
    pub(super) status_write: Option<StatusWrite>,
    /// The form of finalizer writes; None for that of the operator.
    pub(super) finalizer_write: Option<FinalizerWrite>,
    pub(super) on_status_change: bool,
    pub(super) class: Option<ClassFilter>,
    /// The annotation and its value by which objects are ignored.
    pub(super) ignored: Option<(String, String)>,
    pub(super) debounce: Option<Delay>,
    pub(super) fairness: Turn,
    pub(super) persisted: Option<PersistedBackoff>,
    /// The class of unclassified failures; None for that of the operator's timing.
    pub(super) unclassified: Option<Class>,
    pub(super) limiter: Option<Box<dyn RateLimiter + Sync>>,
    pub(super) crd: Option<Value>,
    pub(super) layers: Layers,
    pub(super) permissions: Vec<Rule>,
    pub(super) children: ChildOptions,
}

/// The events at which the finalizer of a controller is set and cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalizerCare {
    /// The finalizer is set before `reconcile`, and cleared after `finalize`.
    Always,
    /// The finalizer is set by `hold`, and cleared after `finalize`.
    OnDemand,
    /// The finalizer is set by `hold`, and cleared by `release`.
    ByHand,
}

/// The turn of lower lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// The default turn of the queue.
    Default,
    /// Lower lanes never get a turn while a higher lane has keys.
    Never,
    /// Lower lanes get a turn after this number of keys of higher lanes.
    After(NonZero<u32>),
}

impl ControllerOptions {
    /// Creates the default options of a controller of this name.
    pub(super) fn named(name: String) -> Self {
        Self {
            name,
            is_named: false,
            agent: None,
            finalizer: None,
            finalizer_name: None,
            legacy_finalizers: Vec::new(),
            finalizer_care: FinalizerCare::Always,
            give_up: GiveUp::Never,
            workers: None,
            drain: Drain::FinishInFlight,
            time_limit: None,
            resync: None,
            policy: None,
            condition_events: ConditionEvents::Never,
            status_write: None,
            finalizer_write: None,
            on_status_change: false,
            class: None,
            ignored: None,
            debounce: None,
            fairness: Turn::Default,
            persisted: None,
            unclassified: None,
            limiter: None,
            crd: None,
            layers: Layers::default(),
            permissions: Vec::new(),
            children: ChildOptions::default(),
        }
    }
}
