//! The controllers that an election leads, and the hooks of their reconcilers.

use std::sync::Arc;

use futures::future::{BoxFuture, Future, join_all};
use kubewright_core::flow::BoxError;

use crate::controller::{ControllerBuckets, LeaderTerm};
use crate::task::Tasks;

/// The controllers whose keys are divided among the buckets of an election. Cheap to clone.
///
/// Hooks run on tasks of their own, since code of the operator's author must not hold up renewals; one that panics has failed.
#[derive(Clone)]
pub(super) struct LedControllers {
    controllers: Arc<[ControllerBuckets]>,
    tasks: Tasks,
}

impl LedControllers {
    pub(super) fn new(controllers: Vec<ControllerBuckets>, tasks: Tasks) -> Self {
        Self { controllers: controllers.into(), tasks }
    }

    /// Runs the promotion hooks of all controllers. Returns whether all succeeded.
    pub(super) fn promote(&self, term: &Arc<LeaderTerm>) -> impl Future<Output = bool> + Send + use<> {
        self.hooks("promotion", term, |controller, term| Box::pin(async move { controller.prepare(&term).await }))
    }

    /// Lets the keys of a bucket in.
    pub(super) fn activate(&self, term: &Arc<LeaderTerm>) {
        self.controllers.iter().for_each(|controller| controller.activate(Arc::clone(term)));
    }

    /// Cancels the passes of a bucket and drops its keys.
    pub(super) fn cancel(&self, bucket: &str) {
        self.controllers.iter().for_each(|controller| controller.cancel(bucket));
    }

    /// Ends when no pass of a bucket runs.
    pub(super) fn drained(&self, bucket: &Arc<str>) -> impl Future<Output = ()> + Send + use<> {
        let (controllers, bucket) = (Arc::clone(&self.controllers), Arc::clone(bucket));
        async move {
            join_all(controllers.iter().map(|controller| controller.drained(&bucket))).await;
        }
    }

    /// Runs the demotion hooks of all controllers. Failures are logged only.
    pub(super) fn demote(&self, term: &Arc<LeaderTerm>) -> impl Future<Output = ()> + Send + use<> {
        let hooks = self.hooks("demotion", term, |controller, term| Box::pin(async move { controller.demote(&term).await }));
        async move {
            hooks.await;
        }
    }

    /// Runs a hook of all controllers. Returns whether all succeeded.
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
        let running: Vec<_> = self.controllers.iter().map(start).collect();
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
