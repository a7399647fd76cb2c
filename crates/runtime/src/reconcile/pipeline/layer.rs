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

/// Code of the operator's author around the stages of passes: to measure or limit them, to let some wait, to change outcomes.
///
/// It is a trait of its own and no `tower::Layer`: a pass cannot be repeated, buffered or split from its status, and it has no error beside its
/// outcome, so that the ready-made layers of tower would not fit, and those written by hand would be longer.
pub trait PassLayer: Send + Sync + 'static {
    /// Does its part around `next`: the stages inside it, which run once at most.
    ///
    /// Without them the pass has the outcome that is returned: `Flow::from(Wait::…).into()`. A `next.run()` that is dropped before its end leaves
    /// the status as it was. A panic fails the pass.
    fn pass(&self, pass: &LayerContext, next: Next<'_>) -> impl Future<Output = LayerOutcome> + Send;
}

/// The layers of a controller, by stage.
#[derive(Clone, Default)]
pub(crate) struct Layers(Vec<(PipelineStage, Arc<dyn AnyLayer>)>);

impl Layers {
    /// Adds a layer inside of those that the stage has.
    pub(crate) fn add(&mut self, stage: PipelineStage, layer: impl PassLayer) {
        self.0.push((stage, Arc::new(layer)));
    }

    /// These layers, and those of another set inside of them.
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

/// A layer without its type.
trait AnyLayer: Send + Sync {
    fn pass<'a>(&'a self, pass: &'a LayerContext, next: Next<'a>) -> BoxFuture<'a, LayerOutcome>;
}

impl<L: PassLayer> AnyLayer for L {
    fn pass<'a>(&'a self, pass: &'a LayerContext, next: Next<'a>) -> BoxFuture<'a, LayerOutcome> {
        Box::pin(PassLayer::pass(self, pass, next))
    }
}

/// A pass as a layer sees it.
pub struct LayerContext {
    scope: Arc<PassScope>,
    stage: PipelineStage,
    method: Option<Method>,
}

impl LayerContext {
    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.scope.services.controller
    }

    /// The kind of its objects.
    pub fn kind(&self) -> &GroupVersionKind {
        &self.scope.services.gvk
    }

    /// Namespace and name of the object.
    pub fn key(&self) -> &Key {
        self.scope.pass.key()
    }

    /// The object as events name it, in the version that this pass has seen or written last.
    pub fn object_ref(&self) -> ObjectReference {
        self.scope.reference()
    }

    /// The stage directly outside of the layer.
    pub fn stage(&self) -> PipelineStage {
        self.stage
    }

    /// The method that the pass is going to call; none inside [`PipelineStage::Events`], where it is not chosen yet.
    pub fn method(&self) -> Option<Method> {
        self.method
    }

    /// The number of failures in a row before this pass.
    pub fn attempt(&self) -> u32 {
        self.scope.pass.failures()
    }

    /// Cancelled when the pass should end soon: at shutdown.
    pub fn cancelled(&self) -> &CancellationToken {
        self.scope.pass.cancelled()
    }

    /// The clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.scope.services.cluster.clock()
    }

    /// The identity of the pass in logs: 32 hexadecimal digits.
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
    /// None once the stages have begun.
    request: &'a mut Option<PassRequest>,
}

impl<'a> Next<'a> {
    /// Runs them.
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

/// The outcome of a pass on its way out, with the notes of the stages about it.
#[must_use = "a layer returns the outcome of its pass"]
pub struct LayerOutcome {
    end: PassEnd,
}

impl LayerOutcome {
    /// The outcome.
    pub fn flow(&self) -> &Flow {
        &self.end.outcome
    }

    /// Another outcome in its place. The stages outside of the layer see only this one.
    pub fn replaced(mut self, outcome: Flow) -> Self {
        self.end.outcome = outcome;
        self.end.report = None;
        self
    }
}

/// The outcome of a pass whose inner stages did not run.
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

/// The stages inside a place of the pipeline, without their type.
trait AnyStages: Send + Sync {
    fn run(&self, request: PassRequest) -> BoxFuture<'static, PassEnd>;
}

impl<S: PassService> AnyStages for InnerStages<S> {
    fn run(&self, request: PassRequest) -> BoxFuture<'static, PassEnd> {
        Box::pin(self.call(request))
    }
}

/// The place directly inside a stage, with the layers that the controller has there. It is part of the pipeline of controllers with layers only.
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
    // The stages outside tell of a pass that was not run inside, too.
    if let Some(work) = request.and_then(|request| request.work) {
        end.draft = work.draft;
    }
    end
}
