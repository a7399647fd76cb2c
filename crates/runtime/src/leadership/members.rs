//! All parts of an operator that work for the buckets of one election, and the hooks of their reconcilers.

use std::sync::Arc;

use futures::future::{BoxFuture, Future, join_all};
use kubewright_core::flow::BoxError;

use super::member::BucketMember;
use crate::controller::{ControllerBuckets, LeaderTerm};
use crate::task::Tasks;

/// The controllers whose keys are divided among the buckets of an election, and the leader tasks that belong to one of them. Cheap to clone.
///
/// Hooks run in tasks of their own, because code of the operator's author must not delay renewals. A hook that panics has failed.
#[derive(Clone)]
pub(super) struct BucketMembers {
    members: Arc<[BucketMember]>,
    tasks: Tasks,
}

impl BucketMembers {
    pub(super) fn new(members: Vec<BucketMember>, tasks: Tasks) -> Self {
        Self { members: members.into(), tasks }
    }

    /// Runs the promotion hooks of all controllers. Returns true if all succeeded.
    pub(super) fn promote(&self, term: &Arc<LeaderTerm>) -> impl Future<Output = bool> + Send + use<> {
        self.hooks("promotion", term, |controller, term| Box::pin(async move { controller.prepare(&term).await }))
    }

    /// Opens the queues to the keys of a bucket, and starts its tasks.
    pub(super) fn activate(&self, term: &Arc<LeaderTerm>) {
        self.members.iter().for_each(|member| member.activate(Arc::clone(term)));
    }

    /// Cancels the passes and tasks of a bucket, and drops its keys.
    pub(super) fn cancel(&self, bucket: &str) {
        self.members.iter().for_each(|member| member.cancel(bucket));
    }

    /// Waits until no pass and no task of a bucket runs.
    pub(super) fn drained(&self, bucket: &Arc<str>) -> impl Future<Output = ()> + Send + use<> {
        let (members, bucket) = (Arc::clone(&self.members), Arc::clone(bucket));
        async move {
            join_all(members.iter().map(|member| member.drained(&bucket))).await;
        }
    }

    /// Runs the demotion hooks of all controllers. Failures are only logged.
    pub(super) fn demote(&self, term: &Arc<LeaderTerm>) -> impl Future<Output = ()> + Send + use<> {
        let hooks = self.hooks("demotion", term, |controller, term| Box::pin(async move { controller.demote(&term).await }));
        async move {
            hooks.await;
        }
    }

    /// Runs a hook of all controllers. Returns true if all succeeded.
    fn hooks<H>(&self, hook: &'static str, term: &Arc<LeaderTerm>, run: H) -> impl Future<Output = bool> + Send + use<H>
    where
        H: Fn(ControllerBuckets, Arc<LeaderTerm>) -> BoxFuture<'static, Result<(), BoxError>>,
    {
        let bucket = Arc::clone(term.bucket());
        let start = |controller: &ControllerBuckets| {
            let name = controller.controller().to_owned();
            let task = format!("{hook} of {bucket} for {name}");
            (name, self.tasks.spawn(task, run(controller.clone(), Arc::clone(term))))
        };
        let running: Vec<_> = self.members.iter().filter_map(BucketMember::controller).map(start).collect();
        async move {
            let ended = join_all(running.into_iter().map(async |(controller, running)| (controller, running.await))).await;
            let mut all = true;
            for (controller, ended) in ended {
                let error: BoxError = match ended {
                    Ok(Ok(())) => continue,
                    Ok(Err(error)) => error,
                    Err(panic) => panic.into(),
                };
                tracing::error!(controller, %error, "the {hook} of {bucket} failed");
                all = false;
            }
            all
        }
    }
}
