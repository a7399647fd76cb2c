//! The state that all requests share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use futures::future::BoxFuture;

use crate::api::ObjectApi;
use crate::discovery::DiscoveryDocuments;
use crate::openapi::OpenApi;

/// The reaction of the server to the writes of requests.
pub(crate) trait AfterWrite: fmt::Debug + Send + Sync {
    /// Runs after a request that stored something, before it is answered.
    fn after_write(&self) -> BoxFuture<'_, ()>;
}

/// Documents that are derived from the kinds that are served.
#[derive(Debug, Default)]
pub(crate) struct DerivedDocuments {
    pub(super) discovery: DiscoveryDocuments,
    pub(super) openapi: OpenApi,
}

impl DerivedDocuments {
    /// Returns the same documents for another server.
    pub(crate) fn fork(&self) -> Self {
        Self { discovery: self.discovery.fork(), openapi: self.openapi.fork() }
    }
}

/// The state behind the HTTP pipeline.
#[derive(Debug)]
pub(crate) struct RequestState {
    pub(crate) api: Arc<ObjectApi>,
    pub(crate) documents: DerivedDocuments,
    /// True if fields are refused that the real server tolerates and a correct client never sends (DIF-7).
    pub(crate) strict: bool,
    /// The maximum number of requests that are handled at the same time.
    pub(crate) max_in_flight: usize,
    /// The number of requests that are being handled.
    pub(super) in_flight: AtomicUsize,
    reaction: Arc<dyn AfterWrite>,
}

impl RequestState {
    pub(crate) fn new(
        api: Arc<ObjectApi>,
        documents: DerivedDocuments,
        reaction: Arc<dyn AfterWrite>,
        strict: bool,
        max_in_flight: usize,
    ) -> Self {
        Self { api, documents, strict, max_in_flight, in_flight: AtomicUsize::new(0), reaction }
    }

    /// Lets the server react to a write.
    pub(super) async fn after_write(&self) {
        self.reaction.after_write().await;
    }
}
