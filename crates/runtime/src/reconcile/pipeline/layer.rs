use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use kubewright_core::flow::Flow;
use kubewright_machinery::object::{GroupVersionKind, Key, ObjectReference};
use tokio_util::sync::CancellationToken;

use super::staged::{InnerStages, PassService, PassStage};
use super::{Method, PassEnd, PassRequest, PipelineStage};
use crate::clock::Clock;
use crate::reconcile::scope::PassScope;

/// A layer of the operator's author around the stages of passes: to measure or limit passes, to delay some, or to change outcomes.
///
/// It is a trait of its own instead of `tower::Layer`: a pass cannot be repeated, buffered or separated from its status, and has no error besides its
/// outcome. The ready-made layers of tower would not fit, and hand-written ones would be longer.
pub trait PassLayer: Send + Sync + 'static {
    /// Does the work of the layer around `next`, which stands for the stages inside it and runs at most once.
    ///
    /// A pass whose layer does not run `next` has the outcome that the layer returns: `Flow::from(Wait::…).into()`. A `next.run()` that is dropped before its
    /// end leaves the status as it was. A panic fails the pass.
    fn pass(&self, pass: &LayerContext, next: Next<'_>) -> impl Future<Output = LayerOutcome> + Send;
}

/// The layers of a controller, by stage.
#[derive(Clone, Default)]
pub(crate) struct Layers(Vec<(PipelineStage, Arc<dyn AnyLayer>)>);

impl Layers {
    /// Adds a layer inside of those that the stage already has.
    pub(crate) fn add(&mut self, stage: PipelineStage, layer: impl PassLayer) {
        self.0.push((stage, Arc::new(layer)));
    }

    /// Returns these layers with those of another set inside of them.
    pub(crate) fn and(mut self, inner: Self) -> Self {
        self.0.extend(inner.0);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(stage, _)| stage)).finish()
    }
}

/// A layer with its type erased.
trait AnyLayer: Send + Sync {
    fn pass<'a>(&'a self, pass: &'a LayerContext, next: Next<'a>) -> BoxFuture<'a, LayerOutcome>;
}

impl<L: PassLayer> AnyLayer for L {
    fn pass<'a>(&'a self, pass: &'a LayerContext, next: Next<'a>) -> BoxFuture<'a, LayerOutcome> {
        Box::pin(PassLayer::pass(self, pass, next))
    }
}

/// The context of a pass for a layer.
pub struct LayerContext {
    scope: Arc<PassScope>,
    stage: PipelineStage,
    method: Option<Method>,
}

impl LayerContext {
    /// Returns the name of the controller.
    pub fn controller(&self) -> &str {
        &self.scope.services.controller
    }

    /// Returns the kind of the controller's objects.
    pub fn kind(&self) -> &GroupVersionKind {
        &self.scope.services.gvk
    }

    /// Returns namespace and name of the object.
    pub fn key(&self) -> &Key {
        self.scope.pass.key()
    }

    /// Returns the reference to the object for events, in the version that this pass last saw or wrote.
    pub fn object_ref(&self) -> ObjectReference {
        self.scope.reference()
    }

    /// Returns the stage directly outside of the layer.
    pub fn stage(&self) -> PipelineStage {
        self.stage
    }

    /// Returns the method that the pass is going to call; None inside [`PipelineStage::Events`], where it is not chosen yet.
    pub fn method(&self) -> Option<Method> {
        self.method
    }

    /// Returns the number of consecutive failures before this pass.
    pub fn attempt(&self) -> u32 {
        self.scope.pass.failures()
    }

    /// Returns the token that is cancelled when the pass should end soon, at shutdown.
    pub fn cancelled(&self) -> &CancellationToken {
        self.scope.pass.cancelled()
    }

    /// Returns the clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.scope.services.cluster.clock()
    }

    /// Returns the trace id, which identifies the pass in logs: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        self.scope.pass.trace_id()
    }
}

impl fmt::Debug for LayerContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayerContext").field("pass", &self.scope).field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// The layers and stages inside a layer.
#[must_use = "the stages inside the layer run by `next.run().await` only"]
pub struct Next<'a> {
    pass: &'a LayerContext,
    layers: &'a [&'a dyn AnyLayer],
    inner: &'a dyn AnyStages,
    /// The request; None once the stages have begun.
    request: &'a mut Option<PassRequest>,
}

impl<'a> Next<'a> {
    /// Runs the layers and stages inside the layer.
    pub fn run(self) -> BoxFuture<'a, LayerOutcome> {
        let Self { pass, layers, inner, request } = self;
        match layers.split_first() {
            Some((outermost, layers)) => outermost.pass(pass, Next { pass, layers, inner, request }),
            None => Box::pin(async move {
                match request.take() {
                    Some(request) => LayerOutcome { end: inner.run(request).await },
                    None => LayerOutcome::from(Ok(())),
                }
            }),
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers", &self.layers.len()).finish_non_exhaustive()
    }
}

/// The outcome of a pass on its way outwards, with the notes of the stages about it.
#[must_use = "a layer returns the outcome of its pass"]
pub struct LayerOutcome {
    end: PassEnd,
}

impl LayerOutcome {
    /// Returns the outcome.
    pub fn flow(&self) -> &Flow {
        &self.end.outcome
    }

    /// Replaces the outcome. The stages outside of the layer see only the new one.
    pub fn replaced(mut self, outcome: Flow) -> Self {
        self.end.outcome = outcome;
        self.end.report = None;
        self
    }
}

/// The conversion for a pass whose inner stages did not run.
impl From<Flow> for LayerOutcome {
    fn from(outcome: Flow) -> Self {
        Self { end: PassEnd::of(outcome) }
    }
}

impl fmt::Debug for LayerOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayerOutcome").field("flow", &self.end.outcome).finish_non_exhaustive()
    }
}

/// The stages inside a point of the pipeline, with their type erased.
trait AnyStages: Send + Sync {
    fn run(&self, request: PassRequest) -> BoxFuture<'static, PassEnd>;
}

impl<S: PassService> AnyStages for InnerStages<S> {
    fn run(&self, request: PassRequest) -> BoxFuture<'static, PassEnd> {
        Box::pin(self.call(request))
    }
}

/// The point directly inside a stage, with the layers that the controller has there. Only the pipeline of controllers with layers contains it.
#[derive(Clone, Copy)]
pub(super) struct Layered(pub(super) PipelineStage);

impl PassStage for Layered {
    async fn around(self, request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        through(self.0, request, &inner).await
    }
}

async fn through(stage: PipelineStage, request: PassRequest, inner: &dyn AnyStages) -> PassEnd {
    let method = request.work.as_ref().map(|work| work.method);
    let pass = LayerContext { scope: Arc::clone(&request.scope), stage, method };
    let here = pass.scope.services.layers.0.iter().filter(|(at, _)| *at == stage);
    let layers: Vec<&dyn AnyLayer> = here.map(|(_, layer)| &**layer).collect();
    let mut request = Some(request);
    let LayerOutcome { mut end } = Next { pass: &pass, layers: &layers, inner, request: &mut request }.run().await;
    // The stages outside also report a pass whose inner stages did not run.
    if let Some(work) = request.and_then(|request| request.work) {
        end.draft = work.draft;
    }
    end
}
