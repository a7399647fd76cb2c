use std::convert::Infallible;
use std::future::Future;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use tower::{Service, ServiceExt as _};

use super::{PassEnd, PassRequest};

/// A service that consists of a stage and all stages inside it.
pub(super) trait PassService:
    Service<PassRequest, Response = PassEnd, Error = Infallible, Future: Send> + Copy + Send + Sync + 'static
{
}

impl<S> PassService for S where
    S: Service<PassRequest, Response = PassEnd, Error = Infallible, Future: Send> + Copy + Send + Sync + 'static
{
}

/// A stage, which works before and after the stages inside it. It has no state: the request contains all that it needs.
pub(super) trait PassStage: Copy + Send + Sync + 'static {
    fn around(self, request: PassRequest, inner: InnerStages<impl PassService>) -> impl Future<Output = PassEnd> + Send;
}

/// The stages inside a stage.
#[derive(Clone, Copy)]
pub(super) struct InnerStages<S>(S);

impl<S: PassService> InnerStages<S> {
    pub(super) const fn new(service: S) -> Self {
        Self(service)
    }

    pub(super) async fn call(self, request: PassRequest) -> PassEnd {
        match self.0.oneshot(request).await {
            Ok(end) => end,
            Err(never) => match never {},
        }
    }
}

/// A stage around others, as a service.
#[derive(Clone, Copy)]
pub(super) struct Staged<A, S> {
    pub(super) stage: A,
    pub(super) inner: S,
}

impl<A: PassStage, S: PassService> Service<PassRequest> for Staged<A, S> {
    type Response = PassEnd;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<PassEnd, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: PassRequest) -> Self::Future {
        let Self { stage, inner } = *self;
        Box::pin(async move { Ok(stage.around(request, InnerStages::new(inner)).await) })
    }
}
