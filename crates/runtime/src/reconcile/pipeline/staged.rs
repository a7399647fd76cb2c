use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures::future::BoxFuture;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt as _};

use super::{PassEnd, PassRequest, PassService};

/// A stage: does its part before and after the stages inside it.
#[async_trait]
pub(super) trait Around: Send + Sync + 'static {
    async fn around(&self, request: PassRequest, inner: Inner) -> PassEnd;
}

/// The stages inside a stage.
pub(super) struct Inner(PassService);

impl Inner {
    pub(super) async fn call(self, request: PassRequest) -> PassEnd {
        match self.0.oneshot(request).await {
            Ok(end) => end,
            Err(never) => match never {},
        }
    }
}

/// A stage as a service.
struct Staged<A> {
    stage: Arc<A>,
    inner: PassService,
}

impl<A> Clone for Staged<A> {
    fn clone(&self) -> Self {
        Self { stage: Arc::clone(&self.stage), inner: self.inner.clone() }
    }
}

impl<A: Around> Service<PassRequest> for Staged<A> {
    type Response = PassEnd;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<PassEnd, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: PassRequest) -> Self::Future {
        let Self { stage, inner } = self.clone();
        Box::pin(async move { Ok(stage.around(request, Inner(inner)).await) })
    }
}

/// A stage around others.
pub(super) fn staged(stage: impl Around, inner: PassService) -> PassService {
    BoxCloneSyncService::new(Staged { stage: Arc::new(stage), inner })
}
