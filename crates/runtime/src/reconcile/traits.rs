use std::future::Future;

use kubewright_core::flow::{BoxError, Flow, PassReport, Prior, PriorWait, WaitingMark};
use kubewright_machinery::object::Key;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ConditionAccess, Context, Method};
use crate::controller::LeaderTerm;
use crate::inject::Constructible;
use crate::kind::KnownKind;

/// A reconciler, which brings the cluster into the state that an object describes. The framework reads the object, manages finalizer, conditions, status and
/// events around the call, and repeats it as the outcome requires.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no method `reconcile`",
    label = "not a reconciler",
    note = "put `#[reconciler(kind = …)]` on its impl block, with `async fn reconcile(&self, cx: &Context<Kind>, object: &Kind) -> Flow`"
)]
pub trait Reconcile: Send + Sync + Sized + 'static {
    /// The primary kind.
    type Kind: KnownKind;
    /// The status that the method changes; [`NoStatus`] writes none.
    type Status: ReconciledStatus;

    /// Reconciles an object that is not being deleted. The object comes from the store. Changes are made to `status`, which is written once, and only if it
    /// differs.
    fn reconcile(
        &self,
        cx: &Context<Self::Kind>,
        object: &Self::Kind,
        status: &mut Self::Status,
    ) -> impl Future<Output = Flow> + Send;

    /// Returns the access to the conditions of the status, or None if it has no condition set; then the framework sets no conditions.
    fn conditions() -> Option<ConditionAccess<Self::Status>> {
        None
    }
}

/// The role of a reconciler.
#[derive(Debug)]
pub struct ReconcilerRole;

impl<R: Reconcile> Constructible<ReconcilerRole> for R {}

/// A reconciler that cleans up before an object is deleted.
pub trait Finalize: Reconcile {
    /// Cleans up for an object that is being deleted and has the controller's finalizer, which is cleared when this returns `Ok` or `Done`. It may be called
    /// more than once.
    fn finalize(
        &self,
        cx: &Context<Self::Kind>,
        object: &Self::Kind,
        status: &mut Self::Status,
    ) -> impl Future<Output = Flow> + Send;
}

/// A reconciler that reports outcomes itself, in a status whose conditions do not belong to the framework.
pub trait Conclude: Reconcile {
    /// Returns the conditions that a status records, with which outcomes are compared. The default is the memory of this process.
    fn prior(status: &Self::Status) -> Prior {
        let _ = status;
        Prior::Memory
    }

    /// Returns the wait with a deadline that a status records, for reconcilers that keep it there with [`EndedMethod::waiting`]; it survives a restart. By
    /// default this process remembers it.
    fn waiting(&self, status: &Self::Status) -> PriorWait {
        let _ = status;
        PriorWait::Memory
    }

    /// Reports the outcome of `reconcile` or `finalize`. It is called for every outcome, including panics, timeouts, and passes that did not call the method
    /// because the finalizer could not be set; in these cases the status is as the pass found it. The changed status is written once, and only if it differs.
    /// It is not called for a pass that was cancelled.
    fn conclude(&self, cx: &Context<Self::Kind>, ended: &mut EndedMethod<'_>, status: &mut Self::Status);
}

/// A method that has ended, for [`Conclude`].
#[derive(Debug)]
pub struct EndedMethod<'a> {
    pub(super) method: Method,
    pub(super) outcome: &'a Flow,
    pub(super) report: &'a mut PassReport,
    pub(super) waiting: &'a WaitingMark,
    pub(super) is_paused: Option<bool>,
}

impl EndedMethod<'_> {
    /// Returns the method: `reconcile` or `finalize`.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the outcome.
    pub fn outcome(&self) -> &Flow {
        self.outcome
    }

    /// Returns the report of the outcome, as conditions show it.
    pub fn report(&self) -> &PassReport {
        self.report
    }

    /// Returns the change of the wait with a deadline that the status keeps, like the condition `Waiting` does (STEP-9).
    pub fn waiting(&self) -> &WaitingMark {
        self.waiting
    }

    /// Returns true if a pipeline of the pass is paused, and None when the pass ran no pipeline that can be paused.
    pub fn is_paused(&self) -> Option<bool> {
        self.is_paused
    }

    /// Drops the event about the outcome.
    pub fn drop_event(&mut self) {
        self.report.event = None;
    }
}

/// A reconciler that follows objects for which another replica works.
pub trait Observe: Reconcile {
    /// Observes an object that is not being deleted, on a replica that does not lead its key. It must not write.
    fn observe(&self, cx: &Context<Self::Kind>, object: &Self::Kind) -> impl Future<Output = Flow> + Send;
}

/// A reconciler that is notified of deleted objects.
pub trait ObserveDeleted: Reconcile {
    /// Observes the deletion of a key's object. It is called on every replica, at least once for each deletion that the process saw.
    fn observe_deleted(&self, cx: &Context<Self::Kind>, key: &Key) -> impl Future<Output = Flow> + Send;
}

/// A reconciler that is notified of the buckets that this replica leads.
pub trait Lead: Reconcile {
    /// Prepares to lead a bucket, before its keys are queued: for work that must be done before, such as reading the state that another replica left outside
    /// of Kubernetes. It must not take long: the lease is renewed meanwhile, and no replica works on keys of the bucket. A start waits for one retry period,
    /// then works on other buckets. After an error it is called again, 1 s to 30 s later; until then no key of the bucket is worked on.
    fn on_promoted(&self, term: &LeaderTerm) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = term;
        std::future::ready(Ok(()))
    }

    /// Ends the leadership of a bucket, after this replica no longer leads it and all its passes of the bucket have ended. It is called once for each bucket
    /// for which [`on_promoted`](Self::on_promoted) succeeded. An error is logged.
    fn on_demoted(&self, term: &LeaderTerm) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = term;
        std::future::ready(Ok(()))
    }
}

/// The type of a status. Every suitable type implements this trait.
pub trait ReconciledStatus: Default + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<S: Default + Serialize + DeserializeOwned + Send + Sync + 'static> ReconciledStatus for S {}

/// The status type of reconcilers without a status: none is written, and no condition is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoStatus {}
