//! Controllers whose work falls into items, each looked at by itself.

use std::{fmt, future::Future, time::Duration};

use futures::{FutureExt as _, future::BoxFuture};

use super::{Controller, backlog::Backlog};
use crate::{server::Writer, status::Status, store::Event};

/// A controller that notes items and looks at them one by one. One that fails is tried again later; one whose round is given up in between
/// is looked at in the next.
pub(super) trait ByItem: Clone + fmt::Debug + Send + Sync + 'static {
    /// What is looked at, such as the name of an object.
    type Item: Ord + Clone + fmt::Debug + Send + Sync;

    /// See [`Controller::name`].
    fn name(&self) -> &'static str;

    /// See [`Controller::manager`].
    fn manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// See [`Controller::is_essential`].
    fn is_essential(&self) -> bool {
        false
    }

    /// Where the items are noted.
    fn pending(&self) -> &Backlog<Self::Item>;

    /// See [`Controller::observe`].
    fn observe(&self, event: &Event);

    /// Does what is to be done about an item; returns whether there was anything.
    fn reconcile<'a>(
        &'a self,
        writer: &'a Writer,
        item: &'a Self::Item,
    ) -> impl Future<Output = Result<bool, Status>> + Send + 'a;
}

impl<T: ByItem> Controller for T {
    fn name(&self) -> &'static str {
        ByItem::name(self)
    }

    fn manager(&self) -> &'static str {
        ByItem::manager(self)
    }

    fn observe(&self, event: &Event) {
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

    fn fork(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn is_essential(&self) -> bool {
        ByItem::is_essential(self)
    }
}
