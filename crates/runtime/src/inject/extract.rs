use kubewright_core::flow::BoxError;
use serde::de::DeserializeOwned;

use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::events::Recorder;
use crate::kind::KnownKind;
use crate::metrics::Metrics;
use crate::operator::{Declarations, OperatorContext, Rule};
use crate::store::{DynamicStores, Indexes, MetaStore, Optional, Store, StoredObjects};
use crate::watch::ScopeType;

/// A dependency that constructors can request.
///
/// An implementation of an author's own type combines others: its `declare` calls theirs, and so does its `extract`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected",
    label = "not an extractor",
    note = "constructors can ask for Store<K>, MetaStore<K>, Optional<Store<K>>, DynamicStores, Targets, Config<T>, Enqueue<K>, Recorder, State<T>, LeadershipChanges, kube::Client, Cluster, \
            OperatorInfo, Clock, Metrics, and own types that implement FromOperator"
)]
pub trait FromOperator: Sized + Send + 'static {
    /// Declares the requirements of the dependency. It is called before anything starts, without a cluster.
    fn declare(declarations: &mut Declarations);

    /// Returns the dependency. It is called while the parts of the operator are constructed.
    fn extract(context: &OperatorContext) -> Result<Self, BoxError>;
}

/// The error of requesting a value that was not declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("inject {what}: it was not declared; call its `declare` in the `declare` of the extractor that needs it")]
pub struct Missing {
    pub(super) what: String,
}

impl Missing {
    pub(crate) fn new(what: String) -> Self {
        Self { what }
    }
}

/// Makes the controller wait until the store is filled.
fn must_fill<T: DeserializeOwned + Send + Sync + 'static>(context: &OperatorContext, store: &StoredObjects<T>) {
    let store = store.clone();
    context.opened.add(move || {
        let store = store.clone();
        Box::pin(async move { store.synced().await })
    });
}

impl<K: KnownKind, S: ScopeType, I: Indexes<K>> FromOperator for Store<K, S, I> {
    fn declare(declarations: &mut Declarations) {
        declarations.store(&Self::request());
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let store = Self::open(&context.cluster, &context.namespaces_of(&Self::request()));
        must_fill(context, &store);
        Ok(store)
    }
}

impl<K: KnownKind, S: ScopeType> FromOperator for MetaStore<K, S> {
    fn declare(declarations: &mut Declarations) {
        declarations.store(&Self::request());
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let store = Self::open(&context.cluster, &context.namespaces_of(&Self::request()));
        must_fill(context, &store);
        Ok(store)
    }
}

impl<K: KnownKind, S: ScopeType, I: Indexes<K>> FromOperator for Optional<Store<K, S, I>> {
    fn declare(declarations: &mut Declarations) {
        declarations.optional_store(&Store::<K, S, I>::request());
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let namespaces = context.namespaces_of(&Store::<K, S, I>::request());
        Ok(Self::new(Store::open(&context.cluster, &namespaces)))
    }
}

impl<K: KnownKind, S: ScopeType> FromOperator for Optional<MetaStore<K, S>> {
    fn declare(declarations: &mut Declarations) {
        declarations.optional_store(&MetaStore::<K, S>::request());
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let namespaces = context.namespaces_of(&MetaStore::<K, S>::request());
        Ok(Self::new(MetaStore::open(&context.cluster, &namespaces)))
    }
}

impl FromOperator for DynamicStores {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self::new(context.cluster.clone()))
    }
}

/// The injected client's writes are visible at once in all stores of the operator.
impl FromOperator for kube::Client {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(context.cluster.client().clone())
    }
}

impl FromOperator for Cluster {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(context.cluster.clone())
    }
}

/// The injected recorder reports events in the name of the controller.
impl FromOperator for Recorder {
    fn declare(declarations: &mut Declarations) {
        declarations.rule(Rule::new("events.k8s.io", "events", &["create", "patch"]));
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(context.recorder.clone())
    }
}

impl FromOperator for Clock {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(context.clock.clone())
    }
}

impl FromOperator for Metrics {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(context.metrics.clone())
    }
}
