//! Controllers whose work consists of items that are handled one by one.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_middleware::Status;

use super::ServerController;
use super::backlog::Backlog;
use crate::api::Writer;
use crate::store::StoreEvent;

/// A controller that queues items and handles them one by one. A failed item is retried later; an item whose round was cancelled is handled in the
/// next round.
pub(super) trait ByItem: Clone + fmt::Debug + Send + Sync + 'static {
    /// The type of the items, such as the name of an object.
    type Item: Ord + Clone + fmt::Debug + Send + Sync;

    /// See [`ServerController::name`].
    fn name(&self) -> &'static str;

    /// See [`ServerController::manager`].
    fn manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// See [`ServerController::is_essential`].
    fn is_essential(&self) -> bool {
        false
    }

    /// Returns the backlog of the controller.
    fn pending(&self) -> &Backlog<Self::Item>;

    /// See [`ServerController::observe`].
    fn observe(&self, event: &StoreEvent);

    /// Reconciles one item. Returns true if anything had to be done.
    fn reconcile<'a>(
        &'a self,
        writer: &'a Writer,
        item: &'a Self::Item,
    ) -> impl Future<Output = Result<bool, Status>> + Send + 'a;
}

impl<T: ByItem> ServerController for T {
    fn name(&self) -> &'static str {
        ByItem::name(self)
    }

    fn manager(&self) -> &'static str {
        ByItem::manager(self)
    }

    fn observe(&self, event: &StoreEvent) {
        ByItem::observe(self, event);
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let mut worked = false;
            while let Some(item) = self.pending().next(now) {
                let outcome = self.reconcile(writer, &item).await;
                worked |= self.pending().finish(item, now, outcome).unwrap_or_default();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn is_due(&self, now: Duration) -> bool {
        self.pending().is_due(now)
    }

    fn next_due(&self) -> Option<Duration> {
        self.pending().next_due()
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(self.clone())
    }

    fn is_essential(&self) -> bool {
        ByItem::is_essential(self)
    }
}
