//! The stages of a pass, each a tower service around the next: cache, events, finalizer, status, conditions, and the method of the user.
//!
//! The answer is passed from the inside out: the method ends, conditions are completed, the status is written, the finalizer is cleared, events are recorded
//! (ACT-16). Requests and answers have none of the user's types, so one pipeline serves all reconcilers.

mod cache;
mod conditions;
mod events;
mod finalizer;
mod layer;
mod method;
mod stage;
mod staged;
mod status;

use std::sync::Arc;

use kubewright_core::flow::{Conclusion, Event, Flow, Halt, PassReport, Prior};

use self::cache::Cache;
use self::conditions::ConditionsStage;
use self::events::EventsStage;
use self::finalizer::Finalizers;
use self::layer::Layered;
pub(crate) use self::layer::Layers;
pub use self::layer::{LayerContext, LayerOutcome, Next, PassLayer};
use self::method::CallMethod;
pub use self::stage::PipelineStage;
use self::staged::{InnerStages, Staged};
use self::status::StatusStage;
use super::draft::StatusDraft;
use super::methods::Method;
use super::object::PassObject;
use super::scope::PassScope;

/// The request to a stage.
pub(super) struct PassRequest {
    pub(super) scope: Arc<PassScope>,
    /// The work of the pass, from stage `Cache` on.
    pub(super) work: Option<Work>,
}

/// The object of a pass, and the method to call for it.
pub(super) struct Work {
    pub(super) object: Arc<PassObject>,
    pub(super) method: Method,
    /// The draft of the status, from stage `Status` on; None for a method that changes none.
    pub(super) draft: Option<Box<dyn StatusDraft>>,
    /// The outcome that replaces the call of the method, because the pass failed before it.
    pub(super) instead: Option<Halt>,
}

/// The answer of a stage.
pub(super) struct PassEnd {
    pub(super) outcome: Flow,
    /// The conditions that were reported before the pass.
    pub(super) prior: Prior,
    /// The report of the outcome; None if the outcome has changed, so that the report must be made again.
    pub(super) report: Option<PassReport>,
    pub(super) draft: Option<Box<dyn StatusDraft>>,
    /// The events about conditions that changed; empty if the status could not be written.
    pub(super) condition_events: Vec<Event>,
    /// The conclusion, from stage `Events` on.
    pub(super) conclusion: Option<Conclusion>,
}

impl PassEnd {
    /// Returns the end of a pass that ignores its object and records no event.
    pub(super) fn silent(scope: &PassScope) -> Self {
        let outcome = Ok(());
        let report = scope.pass.report(&outcome, &Prior::Memory).map(|mut report| {
            report.event = None;
            report
        });
        Self { report, ..Self::of(outcome) }
    }

    /// Returns an end of which only the outcome is known.
    pub(super) fn of(outcome: Flow) -> Self {
        Self { outcome, prior: Prior::Memory, report: None, draft: None, condition_events: Vec::new(), conclusion: None }
    }
}

/// Runs a pass through all stages. The pipeline of a controller without layers has no points for layers.
pub(super) async fn run(scope: Arc<PassScope>) -> PassEnd {
    if !scope.services.layers.is_empty() {
        return run_layered(scope).await;
    }
    let conditions = Staged { stage: ConditionsStage, inner: CallMethod };
    let status = Staged { stage: StatusStage, inner: conditions };
    let finalizers = Staged { stage: Finalizers, inner: status };
    let cache = Staged { stage: Cache, inner: finalizers };
    InnerStages::new(Staged { stage: EventsStage, inner: cache }).call(PassRequest { scope, work: None }).await
}

/// Runs the same stages with the layers of the controller between them (OPR-7).
async fn run_layered(scope: Arc<PassScope>) -> PassEnd {
    let method = Staged { stage: Layered(PipelineStage::Conditions), inner: CallMethod };
    let conditions = Staged { stage: Layered(PipelineStage::Status), inner: Staged { stage: ConditionsStage, inner: method } };
    let status = Staged { stage: Layered(PipelineStage::Finalizer), inner: Staged { stage: StatusStage, inner: conditions } };
    let finalizers = Staged { stage: Layered(PipelineStage::Cache), inner: Staged { stage: Finalizers, inner: status } };
    let cache = Staged { stage: Layered(PipelineStage::Events), inner: Staged { stage: Cache, inner: finalizers } };
    InnerStages::new(Staged { stage: EventsStage, inner: cache }).call(PassRequest { scope, work: None }).await
}
