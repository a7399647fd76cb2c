use std::future::Future;

use kubewright_core::flow::{BoxError, Flow, PassReport, Prior, PriorWait, WaitingMark};
use kubewright_machinery::object::Key;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ConditionAccess, Context, Method};
use crate::controller::LeaderTerm;
use crate::kind::KnownKind;

/// Brings the cluster to where an object wants it to be. The framework reads the object, manages finalizer, conditions, status and events around the
/// call, and repeats it as the outcome says.
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

    /// Called for an object that is not being deleted. The object is what the store has; changes are made to `status`, which is written once and
    /// only when it differs.
    fn reconcile(
        &self,
        cx: &Context<Self::Kind>,
        object: &Self::Kind,
        status: &mut Self::Status,
    ) -> impl Future<Output = Flow> + Send;

    /// How the conditions of the status are reached; none if it has no condition set, and then the framework sets no condition.
    fn conditions() -> Option<ConditionAccess<Self::Status>> {
        None
    }
}

/// Cleans up before an object goes.
pub trait Finalize: Reconcile {
    /// Called for an object that is being deleted and carries our finalizer, which is cleared when this returns `Ok` or `Done`. It may be called
    /// more than once.
    fn finalize(
        &self,
        cx: &Context<Self::Kind>,
        object: &Self::Kind,
        status: &mut Self::Status,
    ) -> impl Future<Output = Flow> + Send;
}

/// Tells of outcomes in a status whose conditions are none of the framework's.
pub trait Conclude: Reconcile {
    /// The conditions that a status tells of, with which outcomes are compared. By default those that this process has told last.
    fn prior(status: &Self::Status) -> Prior {
        let _ = status;
        Prior::Memory
    }

    /// The wait with a deadline that a status tells of, for reconcilers that keep it there with [`EndedMethod::waiting`]; it survives a restart. By default
    /// this process remembers it.
    fn waiting(&self, status: &Self::Status) -> PriorWait {
        let _ = status;
        PriorWait::Memory
    }

    /// Called after `reconcile` and `finalize` with every outcome, also when they panicked, took too long, or were not called because the finalizer could not
    /// be set; then the status is as the pass found it. What it changes is written once, and only when it differs. A pass that was cancelled
    /// tells of nothing.
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
    /// The method: `reconcile` or `finalize`.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The outcome.
    pub fn outcome(&self) -> &Flow {
        self.outcome
    }

    /// The outcome as conditions tell of it.
    pub fn report(&self) -> &PassReport {
        self.report
    }

    /// The change of the wait with a deadline that the status keeps, as condition `Waiting` does (STEP-9).
    pub fn waiting(&self) -> &WaitingMark {
        self.waiting
    }

    /// Returns true if a pipeline of the pass is paused, and None when the pass ran no pipeline that can be paused.
    pub fn is_paused(&self) -> Option<bool> {
        self.is_paused
    }

    /// Records no event about the outcome.
    pub fn drop_event(&mut self) {
        self.report.event = None;
    }
}

/// Follows objects for which another replica works.
pub trait Observe: Reconcile {
    /// Called for an object that is not being deleted, on a replica that does not lead its key. It must not write.
    fn observe(&self, cx: &Context<Self::Kind>, object: &Self::Kind) -> impl Future<Output = Flow> + Send;
}

/// Learns that objects are gone.
pub trait ObserveDeleted: Reconcile {
    /// Called on every replica for a key whose object is gone, at least once for each deletion that the process saw.
    fn observe_deleted(&self, cx: &Context<Self::Kind>, key: &Key) -> impl Future<Output = Flow> + Send;
}

/// Learns for which buckets this replica works.
pub trait Lead: Reconcile {
    /// Called when this replica is about to lead a bucket, before its keys are queued: for work that must be done before, such as reading the
    /// state that another replica left outside of Kubernetes. It must not take long: meanwhile the lease is renewed, and no replica works on keys
    /// of the bucket; a start waits for one retry period, then works on other buckets. After an error it is called again, 1 s to 30 s later; until
    /// then no key of the bucket is worked on.
    fn on_promoted(&self, term: &LeaderTerm) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = term;
        std::future::ready(Ok(()))
    }

    /// Called when this replica leads a bucket no longer and all its passes of the bucket have ended: once for each bucket for which
    /// [`on_promoted`](Self::on_promoted) succeeded. An error is logged.
    fn on_demoted(&self, term: &LeaderTerm) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = term;
        std::future::ready(Ok(()))
    }
}

/// The type of a status. Every type that fits has it.
pub trait ReconciledStatus: Default + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<S: Default + Serialize + DeserializeOwned + Send + Sync + 'static> ReconciledStatus for S {}

/// No status: none is written, and no condition is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoStatus {}
