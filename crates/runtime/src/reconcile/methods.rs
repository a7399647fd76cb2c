use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Failure, Flow, Origin, Prior, PriorWait};
use kubewright_machinery::object::Key;
use serde_json::Value;

use super::draft::{StatusDraft, TypedDraft};
use super::object::PassObject;
use super::scope::PassScope;
use super::{Conclude, Context, EndedMethod, Finalize, Lead, Observe, ObserveDeleted, Reconcile};
use crate::controller::{LeaderTerm, Observes};
use crate::kind::Defaulted;

/// A method of a reconciler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `reconcile`.
    Reconcile,
    /// `finalize`.
    Finalize,
    /// `observe`.
    Observe,
    /// `observe_deleted`.
    ObserveDeleted,
    /// No method: only the finalizer of an object that was handed over to another class is cleared.
    Release,
}

impl Method {
    /// Returns the name in logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reconcile => "reconcile",
            Self::Finalize => "finalize",
            Self::Observe => "observe",
            Self::ObserveDeleted => "observe_deleted",
            Self::Release => "release",
        }
    }
}

/// The methods of a reconciler with its types erased, so that one pipeline serves all reconcilers.
#[async_trait]
pub(super) trait Methods: Send + Sync + 'static {
    /// Returns true if the reconciler has a method.
    fn has(&self, method: Method) -> bool;

    /// Returns true if the reconciler changes a status.
    fn has_status(&self) -> bool;

    /// Returns the status of an object as a draft.
    fn draft(&self, status: Option<&Value>) -> Result<Box<dyn StatusDraft>, Failure>;

    /// Runs a method on an object and on the draft of its status.
    async fn run(&self, method: Method, scope: &Arc<PassScope>, object: &PassObject, draft: &mut dyn StatusDraft) -> Flow;

    /// Returns the conditions and the wait with a deadline that the status of a draft records; None for a reconciler without `conclude`.
    fn prior(&self, draft: &mut dyn StatusDraft) -> Option<(Prior, PriorWait)>;

    /// Runs `conclude`.
    fn conclude(&self, scope: &Arc<PassScope>, ended: &mut EndedMethod<'_>, draft: &mut dyn StatusDraft);

    /// Runs `observe_deleted`.
    async fn run_deleted(&self, scope: &Arc<PassScope>, key: &Key) -> Flow;

    /// Runs `on_promoted`.
    async fn promoted(&self, term: &LeaderTerm) -> Result<(), BoxError>;

    /// Runs `on_demoted`.
    async fn demoted(&self, term: &LeaderTerm) -> Result<(), BoxError>;
}

type Boxed<'a> = futures::future::BoxFuture<'a, Flow>;
type FinalizeFn<R> = for<'a> fn(
    &'a R,
    &'a Context<<R as Reconcile>::Kind>,
    &'a <R as Reconcile>::Kind,
    &'a mut <R as Reconcile>::Status,
) -> Boxed<'a>;
type ObserveFn<R> = for<'a> fn(&'a R, &'a Context<<R as Reconcile>::Kind>, &'a <R as Reconcile>::Kind) -> Boxed<'a>;
type HookFn<R> = for<'a> fn(&'a R, &'a LeaderTerm) -> futures::future::BoxFuture<'a, Result<(), BoxError>>;
type PriorFn<R> = fn(&R, &<R as Reconcile>::Status) -> (Prior, PriorWait);
type ConcludeFn<R> = fn(&R, &Context<<R as Reconcile>::Kind>, &mut EndedMethod<'_>, &mut <R as Reconcile>::Status);
type DeletedFn<R> = for<'a> fn(&'a R, &'a Context<<R as Reconcile>::Kind>, &'a Key) -> Boxed<'a>;

/// The further methods of a reconciler besides `reconcile`, and the defaults of its objects.
pub(super) struct Further<R: Reconcile> {
    finalize: Option<FinalizeFn<R>>,
    conclude: Option<(PriorFn<R>, ConcludeFn<R>)>,
    observe: Option<ObserveFn<R>>,
    deleted: Option<DeletedFn<R>>,
    promoted: Option<HookFn<R>>,
    demoted: Option<HookFn<R>>,
    defaults: Option<fn(&mut R::Kind)>,
    /// The slot into which the reconciler is put when it is constructed.
    slot: Option<Arc<OnceLock<Arc<R>>>>,
}

impl<R: Reconcile> Further<R> {
    pub(super) const fn none() -> Self {
        Self {
            finalize: None,
            conclude: None,
            observe: None,
            deleted: None,
            promoted: None,
            demoted: None,
            defaults: None,
            slot: None,
        }
    }

    pub(super) fn finalize(&mut self)
    where
        R: Finalize,
    {
        self.finalize = Some(|reconciler, cx, object, status| Box::pin(reconciler.finalize(cx, object, status)));
    }

    pub(super) fn conclude(&mut self)
    where
        R: Conclude,
    {
        self.conclude = Some((|reconciler, status| (R::prior(status), reconciler.waiting(status)), R::conclude));
    }

    pub(super) fn observe(&mut self)
    where
        R: Observe,
    {
        self.observe = Some(|reconciler, cx, object| Box::pin(reconciler.observe(cx, object)));
    }

    pub(super) fn observe_deleted(&mut self)
    where
        R: ObserveDeleted,
    {
        self.deleted = Some(|reconciler, cx, key| Box::pin(reconciler.observe_deleted(cx, key)));
    }

    pub(super) fn lead(&mut self)
    where
        R: Lead,
    {
        self.promoted = Some(|reconciler, term| Box::pin(reconciler.on_promoted(term)));
        self.demoted = Some(|reconciler, term| Box::pin(reconciler.on_demoted(term)));
    }

    /// Returns the keys of other replicas for which the reconciler needs passes.
    pub(super) const fn observes(&self) -> Observes {
        match (self.observe, self.deleted) {
            (Some(_), _) => Observes::Everything,
            (None, Some(_)) => Observes::Deletions,
            (None, None) => Observes::Nothing,
        }
    }

    pub(super) fn defaults(&mut self)
    where
        R::Kind: Defaulted,
    {
        self.defaults = Some(R::Kind::default_fields);
    }

    pub(super) fn keep_in(&mut self, slot: Arc<OnceLock<Arc<R>>>) {
        self.slot = Some(slot);
    }

    pub(super) const fn has_finalize(&self) -> bool {
        self.finalize.is_some()
    }
}

/// The methods of a reconciler of a type.
pub(super) struct TypedMethods<R: Reconcile> {
    reconciler: Arc<R>,
    further: Further<R>,
    has_status: bool,
    kind: PhantomData<R::Kind>,
}

impl<R: Reconcile> TypedMethods<R> {
    pub(super) fn new(reconciler: R, further: Further<R>) -> Self {
        let has_status = std::any::TypeId::of::<R::Status>() != std::any::TypeId::of::<super::NoStatus>();
        let reconciler = Arc::new(reconciler);
        if let Some(slot) = &further.slot {
            // A reconciler is constructed once, so the slot is still empty.
            drop(slot.set(Arc::clone(&reconciler)));
        }
        Self { reconciler, further, has_status, kind: PhantomData }
    }
}

#[async_trait]
impl<R: Reconcile> Methods for TypedMethods<R> {
    fn has(&self, method: Method) -> bool {
        match method {
            Method::Reconcile | Method::Release => true,
            Method::Finalize => self.further.finalize.is_some(),
            Method::Observe => self.further.observe.is_some(),
            Method::ObserveDeleted => self.further.deleted.is_some(),
        }
    }

    fn has_status(&self) -> bool {
        self.has_status
    }

    fn draft(&self, status: Option<&Value>) -> Result<Box<dyn StatusDraft>, Failure> {
        Ok(Box::new(TypedDraft::<R::Status>::read(status, R::conditions())?))
    }

    async fn run(&self, method: Method, scope: &Arc<PassScope>, object: &PassObject, draft: &mut dyn StatusDraft) -> Flow {
        let object = match self.further.defaults {
            Some(defaults) if method != Method::Observe => {
                let mut object = object.decode()?;
                defaults(&mut object);
                Arc::new(object)
            }
            _ => match object.kept::<R::Kind>().and_then(|kept| kept.decode()) {
                Some(object) => object,
                None => Arc::new(object.decode()?),
            },
        };
        let Some(draft) = draft.as_any().downcast_mut::<TypedDraft<R::Status>>() else {
            return Failure::msg("the status of the pass has another type").reason("InternalError").origin(Origin::Bug).into();
        };
        let cx = Context::new(Arc::clone(scope));
        scope.keep_conditions(draft.lend());
        let outcome = match (method, self.further.finalize, self.further.observe) {
            (Method::Finalize, Some(finalize), _) => finalize(&self.reconciler, &cx, &object, &mut draft.status).await,
            (Method::Observe, _, Some(observe)) => observe(&self.reconciler, &cx, &object).await,
            _ => self.reconciler.reconcile(&cx, &object, &mut draft.status).await,
        };
        draft.take_back(scope.kept_conditions());
        outcome
    }

    fn prior(&self, draft: &mut dyn StatusDraft) -> Option<(Prior, PriorWait)> {
        let (prior, _) = self.further.conclude?;
        let draft = draft.as_any().downcast_mut::<TypedDraft<R::Status>>()?;
        Some(prior(&self.reconciler, &draft.status))
    }

    fn conclude(&self, scope: &Arc<PassScope>, ended: &mut EndedMethod<'_>, draft: &mut dyn StatusDraft) {
        let draft = draft.as_any().downcast_mut::<TypedDraft<R::Status>>();
        if let (Some((_, conclude)), Some(draft)) = (self.further.conclude, draft) {
            conclude(&self.reconciler, &Context::new(Arc::clone(scope)), ended, &mut draft.status);
        }
    }

    async fn run_deleted(&self, scope: &Arc<PassScope>, key: &Key) -> Flow {
        let cx = Context::new(Arc::clone(scope));
        match self.further.deleted {
            Some(deleted) => deleted(&self.reconciler, &cx, key).await,
            None => Ok(()),
        }
    }

    async fn promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        match self.further.promoted {
            Some(promoted) => promoted(&self.reconciler, term).await,
            None => Ok(()),
        }
    }

    async fn demoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        match self.further.demoted {
            Some(demoted) => demoted(&self.reconciler, term).await,
            None => Ok(()),
        }
    }
}
