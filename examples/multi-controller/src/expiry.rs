//! The expiry of accesses.

use std::sync::Arc;
use std::time::Duration;

use kube::api::{Api, DeleteParams, Preconditions};
use kubewright::prelude::*;
use kubewright::runtime::clock::Clock;

use crate::{Access, CLASS, CLASS_KEY};

/// The interval at which accesses are checked.
const PERIOD: Duration = Duration::from_secs(10);

/// A task that deletes the expired accesses. One replica runs it at a time: the one that leads the bucket of the task.
pub(crate) struct Expiry {
    accesses: Store<Access>,
    client: kube::Client,
    clock: Clock,
}

impl Expiry {
    /// Creates the task with the accesses of the namespaces that the operator watches.
    pub(crate) fn new(accesses: Store<Access>, client: kube::Client, clock: Clock) -> Self {
        Self { accesses, client, clock }
    }

    /// Deletes all expired accesses.
    async fn sweep(&self) {
        for access in self.accesses.list().into_iter().filter(|access| self.is_expired(access)) {
            let api = Api::<Access>::namespaced(self.client.clone(), &access.namespace().unwrap_or_default());
            let exactly = Preconditions { uid: access.uid(), resource_version: None };
            let params = DeleteParams::default().preconditions(exactly);
            // An error of a task ends the operator. This error may be transient, so it is left to the next round.
            if let Err(error) = api.delete(&access.name_any(), &params).await {
                tracing::warn!(access = access.name_any(), %error, "the access is not deleted");
            }
        }
    }

    fn is_expired(&self, access: &Access) -> bool {
        let is_ours = access.annotations().get(CLASS_KEY).is_some_and(|class| class == CLASS);
        let is_deleted = access.metadata.deletion_timestamp.is_some();
        let age = access.creation_timestamp().map(|created| self.clock.now().duration_since(created.0).as_secs());
        let is_over = access.spec.ttl_seconds.zip(age).is_some_and(|(ttl, age)| age >= i64::from(ttl));
        is_ours && !is_deleted && is_over
    }
}

impl LeaderTask for Expiry {
    async fn run(&self, _: Arc<LeaderTerm>, stop: CancellationToken) -> Result<(), BoxError> {
        while stop.run_until_cancelled(self.clock.sleep(PERIOD)).await.is_some() {
            self.sweep().await;
        }
        Ok(())
    }
}
