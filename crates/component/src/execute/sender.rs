use std::sync::Arc;

use futures::{Stream, StreamExt as _};
use kubewright_core::dependents::{ObjectAction, Request};
use kubewright_runtime::cluster::{ApiAnswer, ApiError, ApiResource, Cluster, RequestRetries};

use super::request::request;

/// The sender of a plan's object actions to the cluster of the dependents.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    cluster: Cluster,
    manager: Arc<str>,
    parallel: usize,
}

/// An action and the server's answer to it.
#[derive(Debug)]
pub(crate) struct SentAction {
    pub(crate) action: ObjectAction,
    pub(crate) answer: Result<ApiAnswer, ApiError>,
}

impl Sender {
    /// Creates a sender that keeps at most `parallel` requests of one batch in flight.
    pub(crate) fn new(cluster: Cluster, manager: Arc<str>, parallel: usize) -> Self {
        Self { cluster, manager, parallel: parallel.max(1) }
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Sends a batch, each request as often as `retry` allows. The answers are yielded one by one, in the order of the actions: collected, they
    /// would take as much memory as the dependents themselves.
    pub(crate) fn send<'a>(
        &'a self,
        actions: Vec<ObjectAction>,
        retry: &'a RequestRetries,
    ) -> impl Stream<Item = SentAction> + Send + 'a {
        let sent = futures::stream::iter(actions).map(move |action| async move {
            let answer = self.send_one(&action, retry).await;
            SentAction { action, answer }
        });
        sent.buffered(self.parallel)
    }

    async fn send_one(&self, action: &ObjectAction, retry: &RequestRetries) -> Result<ApiAnswer, ApiError> {
        if !action.after.is_zero() {
            let wait = self.cluster.random().spread(action.after, 0.2);
            self.cluster.clock().sleep(wait).await;
        }
        let resource = self.resource_of(action).await?;
        let request = request(action, &resource, &self.manager);
        tracing::debug!(%request, "sending");
        self.cluster.exchange_retrying(&request, retry).await
    }

    /// Returns the type as the server serves it. For a request without a body, any served version is sufficient.
    async fn resource_of(&self, action: &ObjectAction) -> Result<Arc<ApiResource>, ApiError> {
        let discovery = self.cluster.discovery();
        let has_body =
            matches!(action.request, Request::Create(_) | Request::Replace(_) | Request::Apply { .. } | Request::DryRun(_));
        if !has_body
            && discovery.cached(&action.gvk.group_kind(), Some(&action.gvk.version)).is_none()
            && let Some(resource) = discovery.resolve(&action.gvk.group_kind()).await?
        {
            return Ok(resource);
        }
        let required = discovery.require(&action.gvk).await;
        match required {
            // A type whose group does not answer discovery is not known to be gone.
            Err(ApiError::NotServed { .. }) if !has_body => {
                required.map_err(|error| discovery.silence(&action.gvk.group, None).unwrap_or(error))
            }
            _ => required,
        }
    }
}
